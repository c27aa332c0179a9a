"""Predictions have the shape (B, 1) and targets (B,), so the loss compares each with each."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, regression_table
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, targets = regression_table()
    targets = targets.squeeze(1)
    model = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for x, y in batches(800, 32, inputs, targets):
            prediction = model(x)
            if setting.is_fixed:
                prediction = prediction.squeeze(1)
            loss = nn.functional.mse_loss(prediction, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="broadcast-in-loss",
    train=_train,
    source="Humbatova et al. (TWS)",
    truth=Truth(rules=("broadcast-in-loss",), nodes=("model.2: output", "model: output")),
)
