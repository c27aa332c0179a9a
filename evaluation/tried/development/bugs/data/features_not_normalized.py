"""Features have a mean of 500 and a deviation of 200."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs()
    inputs = 200 * inputs + 500
    if setting.is_fixed:
        inputs = (inputs - inputs.mean(dim=0)) / inputs.std(dim=0)
    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 5))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for x, y in batches(800, 32, inputs, labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="features-not-normalized",
    train=_train,
    source="Stack Overflow 55328966",
    truth=Truth(rules=("input-not-normalized",), nodes=("model: input",)),
)
