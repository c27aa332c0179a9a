"""The loss has a minus sign, so it is maximized."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs()
    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 5))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    sign = 1 if setting.is_fixed else -1
    with setting.watch(model):
        for x, y in batches(800, 32, inputs, labels):
            loss = sign * nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="negated-loss",
    train=_train,
    source="TheDeepChecker (flipped sign)",
    truth=Truth(rules=("negative-loss", "diverging-loss", "runaway-growth")),
)
