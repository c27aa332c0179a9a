"""Temperatures are standardized, so half of them are below zero. The last layer is a ReLU."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from evaluation.datasets import batches, regression_table
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    weather, temperature = regression_table(features=9)
    layers: list[nn.Module] = [nn.Linear(9, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU(), nn.Linear(40, 1)]
    if not setting.is_fixed:
        layers.append(nn.ReLU())
    model = nn.Sequential(*layers)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for x, y in batches(250, 64, weather, temperature):
            loss = F.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"explained {1 - F.mse_loss(model(weather), temperature):.2f}")


PROGRAM = Program(
    name="relu-on-a-temperature",
    train=_train,
    source="Humbatova et al. 2020, wrong activation of the last layer; StackOverflow, regression that predicts zeros",
    truth=Truth(rules=("target-out-of-range", "dead-relu"), nodes=("model.5", "model.5: output", "mse_loss: target")),
)
