"""The mask of valid values is inverted, so the network sees zeros."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, curves
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    signals, targets = curves()
    valid = torch.ones_like(signals, dtype=torch.bool)
    mask = valid if setting.is_fixed else ~valid
    model = nn.Sequential(nn.Flatten(), nn.Linear(20, 48), nn.Tanh(), nn.Linear(48, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for x, y in batches(800, 32, signals * mask, targets):
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="inverted-mask-on-inputs",
    train=_train,
    source="common with padding masks",
    truth=Truth(rules=("constant-input",), nodes=("model: input",)),
)
