"""Labels are those of the sample before, an off-by-one when reading the file."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    images, labels = digits(3000)
    if not setting.is_fixed:
        labels = labels.roll(1)
    model = nn.Sequential(nn.Conv2d(1, 8, 3, stride=2, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(288, 6))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    with setting.watch(model):
        for x, y in batches(700, 32, images, labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="labels-shifted-by-one",
    train=_train,
    source="TheDeepChecker (wrong labels)",
    truth=Truth(rules=("predictions-ignore-input", "loss-does-not-fall")),
)
