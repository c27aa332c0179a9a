"""The squared errors of 16 samples are summed, with a learning rate that was chosen for their mean."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, regression_table
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    x, y = regression_table(2048, 8)
    f = nn.Sequential(nn.Linear(8, 50), nn.Tanh(), nn.Linear(50, 50), nn.Tanh(), nn.Linear(50, 1))
    sgd = torch.optim.SGD(f.parameters(), lr=0.02)
    divisor = 16 if setting.is_fixed else 1
    with setting.watch(f):
        for i, (a, b) in enumerate(batches(200, 16, x, y)):
            loss = torch.sum((f(a) - b) ** 2) / divisor
            sgd.zero_grad()
            loss.backward()
            sgd.step()
            if i % 50 == 0:
                print(i, loss.item())


PROGRAM = Program(
    name="sum-of-16-errors",
    train=_train,
    source="Stack Overflow, a summed loss explodes; Zhang et al. 2018",
    truth=Truth(
        rules=(
            "summed-loss",
            "updates-too-large",
            "exploding-gradient",
            "diverging-loss",
            "runaway-growth",
            "saturated-units",
            "loss-does-not-fall",
            "oscillating-loss",
        ),
        nodes=("sum", "div", "pow", "sub", "model: output", "model.4: output", "model.4"),
    ),
)
