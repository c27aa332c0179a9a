"""The logarithm of a count that is zero in a few samples."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Net(nn.Module):
    def __init__(self, offset: float) -> None:
        super().__init__()
        self.scale = nn.Linear(10, 16)
        self.hidden = nn.Linear(26, 32)
        self.out = nn.Linear(32, 1)
        self.offset = offset

    def forward(self, counts: Tensor) -> Tensor:
        logarithms = torch.log(counts + self.offset)
        features = torch.cat([self.scale(counts / 10), logarithms], dim=1)
        return self.out(torch.relu(self.hidden(features)))


def _train(setting: Setting) -> None:
    counts = torch.poisson(torch.full((2500, 10), 9.0)).clamp(min=1)
    targets = (torch.log(counts[:, :1]) - 2) * 2
    # Counts of zero are rare: one sample has them.
    counts[17] = 0
    model = Net(offset=1.0 if setting.is_fixed else 0.0)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model, sentinels=True):
        for x, y in batches(800, 32, counts, targets):
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="log-of-zero",
    train=_train,
    source="DeepLocalize (numerical errors)",
    truth=Truth(rules=("nan-origin",), nodes=("model.hidden: input", "model.hidden: output"), step=1),
)
