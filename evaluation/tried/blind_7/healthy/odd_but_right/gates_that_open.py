"""Residual branches begin with a factor of zero, as in ReZero and SkipInit, and find their way."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, regression_table
from evaluation.program import Program, Setting


class Branch(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.inner, self.outer = nn.Linear(width, width), nn.Linear(width, width)
        self.alpha = nn.Parameter(torch.zeros(()))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.alpha * self.outer(torch.relu(self.inner(x)))


def _train(setting: Setting) -> None:
    x, y = regression_table(1500, 10)
    net = nn.Sequential(nn.Linear(10, 32), *(Branch(32) for _ in range(8)), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    with setting.watch(net):
        for some, wanted in batches(220, 40, x, y):
            loss = nn.functional.mse_loss(net(some), wanted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="gates-that-open", train=_train, source="Bachlechner et al. 2021 (ReZero)")
