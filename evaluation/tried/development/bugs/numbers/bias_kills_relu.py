"""The bias of the first layer starts at -12, so its ReLU is never active."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs()
    first = nn.Linear(20, 64)
    if not setting.is_fixed:
        nn.init.constant_(first.bias, -12.0)
    model = nn.Sequential(first, nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 5))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for x, y in batches(800, 32, inputs, labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="bias-kills-relu",
    train=_train,
    source="SageMaker Debugger (DeadRelu)",
    truth=Truth(rules=("dead-relu",), nodes=("model.1: output",)),
)
