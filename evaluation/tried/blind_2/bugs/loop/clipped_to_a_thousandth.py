"""A GRU is trained with plain SGD, and gradients are clipped to a norm of 0.0005."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Parity(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gru = nn.GRU(2, 24, batch_first=True)
        self.out = nn.Linear(24, 1)

    def forward(self, x: Tensor) -> Tensor:
        states, _ = self.gru(x)
        return self.out(states[:, -1])


def _train(setting: Setting) -> None:
    # The sum of the values that are marked, of eight.
    values = torch.rand(1600, 8)
    marks = (torch.rand(1600, 8) < 0.4).float()
    sums = (values * marks).sum(dim=1, keepdim=True)
    sums = (sums - sums.mean()) / sums.std()
    sequences = torch.stack([values, marks], dim=2)
    model = Parity()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    limit = 1.0 if setting.is_fixed else 5e-4
    with setting.watch(model):
        for x, y in batches(350, 32, sequences, sums):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x), y)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), limit)
            optimizer.step()


PROGRAM = Program(
    name="clipped-to-a-thousandth",
    train=_train,
    source="PyTorch forum, value of clip_grad_norm_",
    truth=Truth(rules=("always-clipped", "updates-too-small", "loss-does-not-fall")),
)
