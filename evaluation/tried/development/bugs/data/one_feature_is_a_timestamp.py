"""One of ten features is a time in seconds, around 1.7e9."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, regression_table
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, targets = regression_table()
    inputs[:, 4] = 1.7e9 + 1e5 * torch.rand(2000)
    if setting.is_fixed:
        inputs[:, 4] = inputs[:, 4].double().sub(1.7e9).div(1e5).float()
    model = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for x, y in batches(800, 32, inputs, targets):
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="one-feature-is-a-timestamp",
    train=_train,
    source="Stack Overflow 44066044",
    truth=Truth(rules=("input-not-normalized",), nodes=("model: input",)),
)
