"""A deep tanh network with weights of the order of 0.01: signal and gradient die out."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs()
    layers: list[nn.Module] = []
    for size in (20, *[32] * 5):
        linear = nn.Linear(size, 32)
        if setting.is_fixed:
            nn.init.xavier_normal_(linear.weight)
        else:
            nn.init.normal_(linear.weight, std=0.01)
        layers += [linear, nn.Tanh()]
    model = nn.Sequential(*layers, nn.Linear(32, 5))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with setting.watch(model):
        for x, y in batches(800, 32, inputs, labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="tiny-initial-weights",
    train=_train,
    source="Glorot and Bengio 2010",
    truth=Truth(rules=("vanishing-gradient",), nodes=("model.0.weight", "model.2.weight")),
)
