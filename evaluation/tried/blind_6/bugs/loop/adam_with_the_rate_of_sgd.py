"""Adam with a learning rate of 0.5, copied from a recipe for SGD."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    images, labels = digits()
    images = (images - images.mean()) / images.std()
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3), nn.ReLU(), nn.Flatten(), nn.Linear(256, 6)
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3 if setting.is_fixed else 0.5)
    with setting.watch(model):
        for x, y in batches(150, 32, images, labels):
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"accuracy {(model(images).argmax(1) == labels).float().mean():.2f}")


PROGRAM = Program(
    name="adam-with-the-rate-of-sgd",
    train=_train,
    source="Humbatova et al. 2020, suboptimal learning rate",
    truth=Truth(
        rules=(
            "updates-too-large",
            "oscillating-loss",
            "diverging-loss",
            "dead-relu",
            "runaway-growth",
            "logit-growth",
            "gradient-spike",
            "exploding-gradient",
            "weights-collapse",
        )
    ),
)
