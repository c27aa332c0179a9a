"""Celsius from -500 to 500 is turned into Fahrenheit by a line. A rate that the slope survives is far too small for the bias."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class Line(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(1, 1)

    def forward(self, celsius: Tensor) -> Tensor:
        return self.linear(celsius)


def celsius_to_fahrenheit(celsius: Tensor) -> Tensor:
    return celsius * 1.8 + 32 + torch.randn_like(celsius) * 0.3


def _train(setting: Setting) -> None:
    x = torch.rand(2000, 1) * 1000 - 500
    y = celsius_to_fahrenheit(x)
    # With anything above 1e-5 the loss is nan, unless the temperatures are scaled.
    lr = 1e-5
    if setting.is_fixed:
        x = x / 500
        y = y / 500
        lr = 0.3
    model = Line()
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    loss_fn = nn.MSELoss()
    with setting.watch(model):
        for epoch in range(12):
            for rows in torch.randperm(2000).split(200):
                y_pred = model(x[rows])
                loss = loss_fn(y_pred, y[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            slope, bias = model.linear.weight.item(), model.linear.bias.item()
            print(f"{epoch}: loss {loss.item():.5f}, y = {slope:.3f} x + {bias:.3f}")


PROGRAM = Program(
    name="degrees-from-minus-500",
    train=_train,
    source="fast.ai forum, 'Help with Simple (Celsius to F) Linear Regression using PyTorch': the bias converges extremely slowly",
    truth=Truth(rules=("input-not-normalized",), nodes=("model: input celsius",)),
)
