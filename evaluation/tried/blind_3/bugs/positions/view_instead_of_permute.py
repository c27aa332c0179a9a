"""Sensors come as `[T, N, F]`, and `view(N, T, F)` mixes the measurements of all machines."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth

STEPS = 12


class Diagnosis(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.rnn = nn.GRU(3, 32, batch_first=True)
        self.out = nn.Linear(32, 3)

    def forward(self, measured: Tensor) -> Tensor:
        return self.out(self.rnn(measured)[0].mean(dim=1))


def _train(setting: Setting) -> None:
    faults = torch.randint(3, (1200,))
    level = torch.eye(3)[faults] * 1.5
    measured = level + torch.randn(STEPS, 1200, 3)
    net = Diagnosis()
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    with setting.watch(net):
        for _ in range(6):
            for chosen in torch.randperm(1200).split(40):
                batch = measured[:, chosen]
                x = batch.permute(1, 0, 2) if setting.is_fixed else batch.view(len(chosen), STEPS, 3)
                loss = nn.functional.cross_entropy(net(x), faults[chosen])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


PROGRAM = Program(
    name="view-instead-of-permute",
    train=_train,
    source="PyTorch forum, the difference between view and permute",
    truth=Truth(rules=("loss-does-not-fall", "predictions-ignore-input")),
)
