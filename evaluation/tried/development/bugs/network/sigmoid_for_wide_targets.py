"""A sigmoid at the end of a regression whose targets reach from -3 to 3."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, regression_table
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, targets = regression_table()
    layers: list[nn.Module] = [nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 1)]
    if not setting.is_fixed:
        layers.append(nn.Sigmoid())
    model = nn.Sequential(*layers)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for x, y in batches(800, 32, inputs, targets):
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="sigmoid-for-wide-targets",
    train=_train,
    source="Stack Overflow 48221692",
    truth=Truth(rules=("target-out-of-range",), nodes=("model.3: output",)),
)
