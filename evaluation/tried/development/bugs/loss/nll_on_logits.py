"""`nll_loss` gets raw scores, and its value falls below zero without end."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs()
    layers: list[nn.Module] = [nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 5)]
    if setting.is_fixed:
        layers.append(nn.LogSoftmax(dim=1))
    model = nn.Sequential(*layers)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for x, y in batches(800, 32, inputs, labels):
            loss = nn.functional.nll_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="nll-on-logits",
    train=_train,
    source="TheDeepChecker (missing softmax)",
    truth=Truth(rules=("nll-without-log-softmax", "negative-loss"), nodes=("model.2: output",)),
)
