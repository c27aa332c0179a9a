"""A pinball loss written by hand subtracts a column of forecasts from a row of values: the loss is that of all pairs."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import regression_table
from evaluation.program import Program, Setting, Truth


def pinball(forecast: Tensor, value: Tensor, quantile: float) -> Tensor:
    error = value - forecast
    return torch.maximum(quantile * error, (quantile - 1) * error).mean()


class Quantile(nn.Module):
    def __init__(self, features: int) -> None:
        super().__init__()
        self.first = nn.Linear(features, 40)
        self.second = nn.Linear(40, 40)
        self.last = nn.Linear(40, 1)

    def forward(self, x: Tensor) -> Tensor:
        x = nn.functional.elu(self.first(x))
        x = nn.functional.elu(self.second(x))
        return self.last(x)


def _train(setting: Setting) -> None:
    x, y = regression_table(1500, 8)
    y = y.flatten()
    model = Quantile(8)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for step in range(170):
            rows = torch.randint(len(x), (64,))
            forecast = model(x[rows])
            if setting.is_fixed:
                forecast = forecast.squeeze(1)
            loss = pinball(forecast, y[rows], 0.7)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 34 == 33:
                print(step, round(loss.item(), 4))


PROGRAM = Program(
    name="pinball-of-all-pairs",
    train=_train,
    source="PyTorch forum, losses written by hand with [N, 1] and [N]; Islam et al. 2019, tensor shapes",
    truth=Truth(
        rules=("broadcast-in-loss", "predictions-ignore-input", "loss-does-not-fall"),
        nodes=("sub", "mul", "mul (2)", "maximum", "mean", "model.last", "model.last: output"),
    ),
)
