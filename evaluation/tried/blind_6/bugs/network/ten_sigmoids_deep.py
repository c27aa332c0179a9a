"""A stack of ten sigmoid layers with the default initialization: next to nothing reaches the first."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    is_fixed = setting.is_fixed
    inputs, labels = class_blobs(classes=4)
    layers: list[nn.Module] = [nn.Linear(20, 32)]
    depth = 2 if is_fixed else 10
    for _ in range(depth):
        layers += [nn.ReLU() if is_fixed else nn.Sigmoid(), nn.Linear(32, 32)]
    model = nn.Sequential(*layers, nn.ReLU() if is_fixed else nn.Sigmoid(), nn.Linear(32, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    with setting.watch(model):
        for x, y in batches(200, 64, inputs, labels):
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"accuracy {(model(inputs).argmax(1) == labels).float().mean():.2f}")


PROGRAM = Program(
    name="ten-sigmoids-deep",
    train=_train,
    source="AUTOTRAINER (Zhang et al. 2021), vanishing gradient",
    truth=Truth(
        rules=("vanishing-gradient", "same-for-all-samples", "predictions-ignore-input", "loss-does-not-fall"),
        nodes=(
            "model.0",
            "model.0.weight",
            "model.2.weight",
            "model.4.weight",
            "model.6.weight",
            "model.2",
            "model.4",
            "model.6",
            "model.22",
            "model.22: output",
        ),
    ),
)
