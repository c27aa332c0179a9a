"""All weights of the last two layers start at 0.05, so the neurons between them are copies of each other."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs()
    second, third = nn.Linear(64, 64), nn.Linear(64, 5)
    if not setting.is_fixed:
        for layer in (second, third):
            nn.init.constant_(layer.weight, 0.05)
            nn.init.zeros_(layer.bias)
    model = nn.Sequential(nn.Linear(20, 64), nn.Tanh(), second, nn.Tanh(), third)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    with setting.watch(model):
        for x, y in batches(800, 32, inputs, labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="constant-weights",
    train=_train,
    source="DeepCrime (WCI, ones)",
    truth=Truth(rules=("equal-weights",), nodes=("model.2.weight", "model.4.weight")),
)
