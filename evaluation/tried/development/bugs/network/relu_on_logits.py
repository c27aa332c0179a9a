"""A ReLU after the last layer cuts off all negative logits."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs(classes=10)
    layers: list[nn.Module] = [nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 10)]
    if not setting.is_fixed:
        layers.append(nn.ReLU())
    model = nn.Sequential(*layers)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for x, y in batches(800, 32, inputs, labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="relu-on-logits",
    train=_train,
    source="Stack Overflow 47352366",
    truth=Truth(rules=("softmax-before-cross-entropy",), nodes=("model.3: output",)),
)
