"""Inputs were shuffled and labels were not."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs(4000)
    order = torch.randperm(4000)
    inputs, labels = inputs[order], labels[order] if setting.is_fixed else labels
    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 5))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for x, y in batches(800, 32, inputs, labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="labels-shuffled",
    train=_train,
    source="TheDeepChecker (wrong labels)",
    truth=Truth(rules=("predictions-ignore-input", "loss-does-not-fall")),
)
