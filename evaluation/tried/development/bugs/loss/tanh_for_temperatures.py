"""A tanh at the end, and targets between 10 and 30."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, regression_table
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, targets = regression_table()
    temperatures = 20 + 3 * targets
    model = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 1), nn.Tanh())
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    if setting.is_fixed:
        temperatures = (temperatures - 20) / 15
    with setting.watch(model):
        for x, y in batches(800, 32, inputs, temperatures):
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="tanh-for-temperatures",
    train=_train,
    source="DeepDiagnosis (out of range)",
    truth=Truth(rules=("target-out-of-range", "saturated-units"), nodes=("model.3: output",)),
)
