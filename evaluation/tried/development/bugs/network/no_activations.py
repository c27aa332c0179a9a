"""Four linear layers without a nonlinearity between them."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, regression_table
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, targets = regression_table()
    layers: list[nn.Module] = []
    for size in (10, 64, 64):
        layers.append(nn.Linear(size, 64))
        if setting.is_fixed:
            layers.append(nn.ReLU())
    model = nn.Sequential(*layers, nn.Linear(64, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for x, y in batches(800, 32, inputs, targets**2):
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="no-activations",
    train=_train,
    source="UMLAUT, DeepCrime (ARM)",
    truth=Truth(rules=("linear-after-linear",), nodes=("model.0: output", "model.1: output", "model.0", "model.1")),
)
