"""The variance of a prediction comes out of a ReLU, so it is often exactly 0, and the likelihood divides by it."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, regression_table
from evaluation.program import Program, Setting, Truth


class Gaussian(nn.Module):
    def __init__(self, last: nn.Module) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(10, 32), nn.Tanh())
        self.mean = nn.Linear(32, 1)
        self.variance = nn.Sequential(nn.Linear(32, 1), last)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        h = self.body(x)
        return self.mean(h), self.variance(h)


def _train(setting: Setting) -> None:
    inputs, targets = regression_table()
    model = Gaussian(nn.Softplus() if setting.is_fixed else nn.ReLU())
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for x, y in batches(200, 64, inputs, targets):
            mean, variance = model(x)
            loss = 0.5 * (torch.log(variance) + (y - mean).square() / variance).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"loss {loss.item():.3f}")


PROGRAM = Program(
    name="variance-from-a-relu",
    train=_train,
    source="StackOverflow, Gaussian likelihood is NaN; Kendall and Gal 2017 on the parametrization",
    truth=Truth(
        rules=("nan-origin",),
        nodes=(
            "log",
            "div",
            "add",
            "mean",
            "mul",
            "model.variance",
            "model.variance.1",
            "model.variance.1: output",
        ),
    ),
)
