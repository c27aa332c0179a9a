"""Dropout is the last layer of a tabular classifier: each score becomes 0 in every third sample."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs(features=16, classes=4)
    layers: list[nn.Module] = [nn.Linear(16, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 4)]
    if not setting.is_fixed:
        layers.append(nn.Dropout(0.35))
    model = nn.Sequential(*layers)
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for x, y in batches(250, 64, inputs, labels):
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            accuracy = (model(inputs).argmax(1) == labels).float().mean()
    print(f"loss {loss.item():.2f}, accuracy {accuracy:.2f}")


PROGRAM = Program(
    name="dropout-on-the-scores",
    train=_train,
    source="PyTorch forum, dropout after the output layer",
    truth=Truth(rules=("dropout-before-loss",), nodes=("model.4", "model.4: output")),
)
