"""`optimizer.zero_grad()` stands between `backward` and `step`, so every step is taken without gradients."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, regression_table
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, targets = regression_table()
    model = nn.Sequential(nn.Linear(10, 64), nn.Tanh(), nn.Linear(64, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for x, y in batches(800, 32, inputs, targets):
            loss = nn.functional.mse_loss(model(x), y)
            loss.backward()
            if not setting.is_fixed:
                optimizer.zero_grad()
            optimizer.step()
            optimizer.zero_grad()


PROGRAM = Program(
    name="zero-grad-after-backward",
    train=_train,
    source="Stack Overflow 53975717",
    truth=Truth(rules=("no-gradient", "zero-gradient", "updates-too-small", "never-updated", "loss-does-not-fall")),
)
