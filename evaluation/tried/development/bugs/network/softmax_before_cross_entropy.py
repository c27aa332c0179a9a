"""The network ends in a softmax, and the loss applies another one."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs()
    layers: list[nn.Module] = [nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 5)]
    if not setting.is_fixed:
        layers.append(nn.Softmax(dim=1))
    model = nn.Sequential(*layers)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for x, y in batches(800, 32, inputs, labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="softmax-before-cross-entropy",
    train=_train,
    source="TheDeepChecker (redundant softmax)",
    truth=Truth(rules=("softmax-before-cross-entropy",), nodes=("model.5: output",)),
)
