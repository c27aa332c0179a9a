"""Adam with a learning rate of 1e-7."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    images, labels = digits()
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(288, 32), nn.ReLU(), nn.Linear(32, 6)
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3 if setting.is_fixed else 1e-7)
    with setting.watch(model):
        for x, y in batches(600, 32, images, labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="adam-learning-rate-1e-7",
    train=_train,
    source="TheDeepChecker (low learning rate)",
    truth=Truth(rules=("updates-too-small", "loss-does-not-fall")),
)
