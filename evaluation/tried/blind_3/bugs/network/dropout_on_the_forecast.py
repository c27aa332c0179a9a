"""Dropout follows the last layer of a regression: half of all forecasts are 0, the others are doubled."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, curves
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    history, following = curves(1000)
    layers = [nn.Flatten(), nn.Linear(20, 48), nn.Dropout(0.05), nn.ReLU(), nn.Linear(48, 1)]
    if not setting.is_fixed:
        layers.append(nn.Dropout(0.5))
    net = nn.Sequential(*layers)
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    with setting.watch(net):
        for x, y in batches(300, 25, history, following):
            optimizer.zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            optimizer.step()


PROGRAM = Program(
    name="dropout-on-the-forecast",
    train=_train,
    source="PyTorch forum, dropout after the last linear layer; Theia (structural bugs)",
    truth=Truth(rules=("dropout-before-loss", "loss-does-not-fall", "predictions-ignore-input", "oscillating-loss")),
)
