"""SGD with a momentum of 0.999 overshoots and swings."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, regression_table
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, targets = regression_table()
    model = nn.Sequential(nn.Linear(10, 32), nn.Tanh(), nn.Linear(32, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.03, momentum=0.5 if setting.is_fixed else 0.999)
    with setting.watch(model):
        for x, y in batches(800, 32, inputs, targets):
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="momentum-too-high",
    train=_train,
    source="AUTOTRAINER (oscillating loss)",
    truth=Truth(rules=("oscillating-loss", "diverging-loss", "updates-too-large", "runaway-growth"), step=1),
)
