"""Weights are drawn from a standard normal distribution, whatever the width."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, regression_table
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, targets = regression_table()
    layers: list[nn.Module] = []
    for size in (10, *[48] * 7):
        linear = nn.Linear(size, 48)
        if setting.is_fixed:
            nn.init.kaiming_normal_(linear.weight)
        else:
            nn.init.normal_(linear.weight)
        layers += [linear, nn.ReLU()]
    model = nn.Sequential(*layers, nn.Linear(48, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for x, y in batches(800, 32, inputs, targets):
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="normal-weights",
    train=_train,
    source="TheDeepChecker (wrong initialization)",
    truth=Truth(
        rules=("growing-with-depth", "exploding-gradient", "initial-loss"),
        nodes=("model.0", "model.0: output", "model.2: output", "model.0.weight", "model.2", "model.2.weight"),
    ),
)
