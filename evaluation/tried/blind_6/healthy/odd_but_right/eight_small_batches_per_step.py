"""Gradients of eight small batches are averaged before each step, as on a small graphics card."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    images, labels = digits()
    images = (images - images.mean()) / images.std()
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1),
        nn.GroupNorm(2, 8),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(256, 6),
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for number, (x, y) in enumerate(batches(640, 4, images, labels)):
            loss = F.cross_entropy(model(x), y) / 8
            loss.backward()
            if number % 8 == 7:
                optimizer.step()
                optimizer.zero_grad()
    with torch.no_grad():
        print(f"accuracy {(model(images).argmax(1) == labels).float().mean():.2f}")


PROGRAM = Program(name="eight-small-batches-per-step", train=_train, source="Hugging Face, gradient accumulation")
