"""The loss is summed over 64 samples, with a learning rate meant for the mean."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs()
    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 5))
    criterion = nn.CrossEntropyLoss(reduction="mean" if setting.is_fixed else "sum")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with setting.watch(model):
        for x, y in batches(800, 64, inputs, labels):
            loss = criterion(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="summed-loss",
    train=_train,
    source="Humbatova et al. (LWC)",
    truth=Truth(rules=("summed-loss",)),
)
