"""A table has ages, ratings and a salary in full. Nobody standardized the columns."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from evaluation.datasets import batches, regression_table
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    table, targets = regression_table()
    if not setting.is_fixed:
        table[:, 3] = 42_000 + 15_000 * table[:, 3]
    model = nn.Sequential(nn.Linear(10, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for x, y in batches(300, 64, table, targets):
            loss = F.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"explained {1 - F.mse_loss(model(table), targets):.2f}")


PROGRAM = Program(
    name="salary-in-full",
    train=_train,
    source="Zhang et al. 2018, StackOverflow questions on features with different scales",
    truth=Truth(rules=("input-not-normalized",), nodes=("model: input",)),
)
