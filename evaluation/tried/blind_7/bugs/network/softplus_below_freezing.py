"""The network ends in a softplus, and half of the temperatures to predict are negative."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, curves
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    days, tomorrow = curves(1400, length=14)
    model = nn.Sequential(nn.Flatten(), nn.Linear(14, 64), nn.SiLU(), nn.Linear(64, 32), nn.SiLU(), nn.Linear(32, 1))
    if not setting.is_fixed:
        model.append(nn.Softplus())
    adam = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for history, temperature in batches(240, 40, days, tomorrow):
            loss = nn.functional.mse_loss(model(history), temperature)
            adam.zero_grad()
            loss.backward()
            adam.step()


PROGRAM = Program(
    name="softplus-below-freezing",
    train=_train,
    source="Humbatova et al. 2020, model: wrong activation of the last layer",
    truth=Truth(
        rules=("target-out-of-range",),
        nodes=("model: output", "model.6: output", "model.6", "model.5", "model.5: output", "mse_loss: target", "mse_loss"),
    ),
)
