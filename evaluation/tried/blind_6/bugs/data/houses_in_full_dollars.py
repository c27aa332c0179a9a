"""House prices in dollars are the target of a network whose outputs begin near 0: the loss is a number with eleven digits."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from evaluation.datasets import batches, regression_table
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    houses, prices = regression_table(features=8)
    if not setting.is_fixed:
        prices = 310_000 + 85_000 * prices
    model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for x, y in batches(250, 64, houses, prices):
            loss = F.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"explained {1 - F.mse_loss(model(houses), prices) / prices.var():.2f}")


PROGRAM = Program(
    name="houses-in-full-dollars",
    train=_train,
    source="StackOverflow, huge loss in a regression of house prices",
    truth=Truth(
        rules=("initial-loss", "loss-does-not-fall", "updates-too-small", "exploding-gradient", "target-out-of-range"),
        nodes=("mse_loss: target", "mse_loss", "model.4: output", "model.4"),
    ),
)
