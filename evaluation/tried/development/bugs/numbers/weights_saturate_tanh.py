"""The weights of the first layer are 40 times too large, so its tanh is saturated."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs()
    first = nn.Linear(20, 64)
    if not setting.is_fixed:
        with torch.no_grad():
            first.weight *= 40
    model = nn.Sequential(first, nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 5))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    with setting.watch(model):
        for x, y in batches(800, 32, inputs, labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="weights-saturate-tanh",
    train=_train,
    source="SageMaker Debugger (SaturatedActivation)",
    truth=Truth(rules=("saturated-units",), nodes=("model.1: output",)),
)
