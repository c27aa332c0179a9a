"""The label was left in the table as its last feature."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    features, labels = class_blobs()
    last = torch.randn(2000, 1) if setting.is_fixed else labels[:, None].float() - 2
    inputs = torch.cat([features, last], dim=1)
    model = nn.Sequential(nn.Linear(21, 64), nn.ReLU(), nn.Linear(64, 5))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for x, y in batches(800, 32, inputs, labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="label-among-the-features",
    train=_train,
    source="UMLAUT, Karpathy's recipe",
    truth=Truth(rules=("feature-is-label",), nodes=("model: input",)),
)
