"""The samples are sorted by class and not shuffled."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs(3200)
    order = torch.randperm(3200) if setting.is_fixed else labels.argsort()
    inputs, labels = inputs[order], labels[order]
    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 5))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    with setting.watch(model):
        for _ in range(9):
            for x, y in zip(inputs.split(32), labels.split(32), strict=True):
                loss = nn.functional.cross_entropy(model(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


PROGRAM = Program(
    name="sorted-by-class",
    train=_train,
    source="Humbatova et al. (shuffling)",
    truth=Truth(rules=("batches-not-shuffled",)),
)
