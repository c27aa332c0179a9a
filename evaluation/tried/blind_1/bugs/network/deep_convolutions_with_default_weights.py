"""Twelve convolutions without shortcuts start with PyTorch's default weights, which shrink the signal in every ReLU layer."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    images, labels = digits(1200, classes=4, size=10)
    layers: list[nn.Module] = [nn.Conv2d(1, 12, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
    for _ in range(11):
        layers += [nn.Conv2d(12, 12, 3, padding=1), nn.ReLU()]
    model = nn.Sequential(*layers, nn.Flatten(), nn.Linear(12 * 25, 4))
    if setting.is_fixed:
        for module in model:
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
                module.bias = nn.Parameter(torch.zeros(12))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    with setting.watch(model):
        for x, y in batches(400, 16, (images - images.mean()) / images.std(), labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="deep-convolutions-with-default-weights",
    train=_train,
    source="PyTorch issue 15314 (why the default gain is that of sqrt(5)), He et al. 2015 on plain deep networks",
    truth=Truth(
        rules=("vanishing-gradient", "same-for-all-samples", "predictions-ignore-input", "loss-does-not-fall"),
        nodes=tuple(f"model.{k}{what}" for k in (0, *range(3, 25, 2)) for what in ("", ".weight", ": output")),
    ),
)
