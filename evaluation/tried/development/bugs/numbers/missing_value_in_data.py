"""One sample of the table has a missing value, read as NaN."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, regression_table
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, targets = regression_table()
    inputs[1234, 3] = float("nan")
    if setting.is_fixed:
        inputs = inputs.nan_to_num()
    model = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model, sentinels=True):
        for x, y in batches(800, 32, inputs, targets):
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="missing-value-in-data",
    train=_train,
    source="UMLAUT (NaN in input)",
    truth=Truth(rules=("nan-origin",), nodes=("model: input",), step=1),
)
