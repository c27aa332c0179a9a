"""A convolutional network is pretrained on five patterns; then a new head learns four others, and the rest is frozen."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting


def make_features() -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 24, 3, padding=1),
        nn.BatchNorm2d(24),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(3),
        nn.Flatten(),
    )


def _train(setting: Setting) -> None:
    features = make_features()
    source = nn.Sequential(features, nn.Linear(216, 5))
    optimizer = torch.optim.Adam(source.parameters(), lr=3e-3)
    for x, y in batches(80, 32, *digits(700, classes=5)):
        optimizer.zero_grad()
        nn.functional.cross_entropy(source(x), y).backward()
        optimizer.step()

    images, labels = digits(700, classes=4)
    for parameter in features.parameters():
        parameter.requires_grad = False
    features.eval()
    head = nn.Sequential(nn.Linear(216, 32), nn.ReLU(), nn.Linear(32, 4))
    model = nn.Sequential(features, head)
    optimizer = torch.optim.Adam(head.parameters(), lr=3e-3)
    with setting.watch(model):
        for epoch in range(7):
            for x, y in batches(28, 25, images, labels):
                loss = nn.functional.cross_entropy(model(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.3f}")


PROGRAM = Program(name="fine-tuned-head", train=_train, source="PyTorch tutorial, transfer learning with a frozen network")
