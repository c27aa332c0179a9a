"""SGD with a learning rate of 20."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs()
    model = nn.Sequential(nn.Linear(20, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 5))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2 if setting.is_fixed else 20.0)
    with setting.watch(model):
        for x, y in batches(800, 32, inputs, labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="sgd-learning-rate-20",
    train=_train,
    source="TheDeepChecker (high learning rate)",
    truth=Truth(rules=("updates-too-large", "diverging-loss")),
)
