"""Validation pictures were taken at night. They pass through batch normalization in training mode, and change its running mean."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    images, labels = digits()
    images = (images - images.mean()) / images.std()
    night = images[:300] * 0.4 - 1.2
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1),
        nn.BatchNorm2d(8),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(256, 6),
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for step, (x, y) in enumerate(batches(120, 32, images[300:], labels[300:])):
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 30 == 29:
                if setting.is_fixed:
                    model.eval()
                with torch.no_grad():
                    for part in night.split(50):
                        model(part)
                model.train()
        model.eval()
        with torch.no_grad():
            accuracy = (model(images[300:]).argmax(1) == labels[300:]).float().mean()
    print(f"accuracy by day {accuracy:.2f}")


PROGRAM = Program(
    name="statistics-of-the-night",
    train=_train,
    source="PyTorch forum, batch normalization and a validation without eval()",
    truth=Truth(
        rules=("evaluation-changes-buffers", "evaluation-in-training-mode"),
        nodes=("model.1", "model.1.running_mean", "model.1.running_var"),
    ),
)
