"""Ten layers with sigmoids, trained with SGD: hardly any gradient reaches the first layers."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs()
    layers: list[nn.Module] = []
    for size in (20, *[32] * 9):
        layers += [nn.Linear(size, 32), nn.Sigmoid()]
    if setting.is_fixed:
        layers = [nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU()]
    model = nn.Sequential(*layers, nn.Linear(32, 5))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with setting.watch(model):
        for x, y in batches(800, 32, inputs, labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="ten-sigmoid-layers",
    train=_train,
    source="AUTOTRAINER (vanishing gradient)",
    truth=Truth(rules=("vanishing-gradient",), nodes=("model.0.weight", "model.2.weight", "model.4.weight")),
)
