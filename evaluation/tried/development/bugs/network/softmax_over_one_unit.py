"""A binary classifier has one output and a softmax, which is always 1."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs(classes=2)
    activation = nn.Sigmoid() if setting.is_fixed else nn.Softmax(dim=1)
    model = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 1), activation)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for x, y in batches(800, 32, inputs, labels.float()[:, None]):
            loss = nn.functional.binary_cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="softmax-over-one-unit",
    train=_train,
    source="Stack Overflow 31880720",
    truth=Truth(rules=("softmax-over-one",), nodes=("model.3: output",)),
)
