"""A layer and its successor start at zero, so neither of them ever learns."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs()
    second, third = nn.Linear(64, 64), nn.Linear(64, 5)
    if not setting.is_fixed:
        for parameter in (second.weight, second.bias, third.weight):
            nn.init.zeros_(parameter)
    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), second, nn.ReLU(), third)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for x, y in batches(800, 32, inputs, labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="zero-weights",
    train=_train,
    source="DeepCrime (WCI, zeros)",
    truth=Truth(rules=("equal-weights", "zero-gradient"), nodes=("model.2.weight", "model.4.weight", "model.0.weight")),
)
