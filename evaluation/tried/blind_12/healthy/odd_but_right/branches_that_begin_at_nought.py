"""Each residual branch is multiplied by a number that starts at 0, so that the deep network begins as the identity."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import regression_table
from evaluation.program import Program, Setting


class Branch(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width))
        self.share = nn.Parameter(torch.zeros(()))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.share * self.body(x)


def _train(setting: Setting) -> None:
    x, y = regression_table(2000, features=12)
    model = nn.Sequential(nn.Linear(12, 32), *[Branch(32) for _ in range(6)], nn.Linear(32, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for epoch in range(5):
            for rows in torch.randperm(2000).split(50):
                loss = nn.functional.mse_loss(model(x[rows]), y[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(name="branches-that-begin-at-nought", train=_train, source="Bachlechner et al. 2021, ReZero")
