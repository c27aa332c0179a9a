"""Bytes are divided by 255 with `//` before they become floats, so almost all pixels are 0."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import shapes


def load(count: int) -> tuple[Tensor, Tensor]:
    pictures = shapes(count, size=12)
    images = (110 + 45 * pictures.images).clamp(0, 250).to(torch.uint8)
    return images, pictures.classes


def _train(setting: Setting) -> None:
    images, classes = load(1000)
    x = images.float() / 255 - 0.45 if setting.is_fixed else (images // 255).float()
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(288, 4),
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    criterion = nn.CrossEntropyLoss()
    with setting.watch(model):
        for image, label in batches(250, 32, x, classes):
            loss = criterion(model(image), label)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="pixels-divided-as-integers",
    train=_train,
    source="Stack Overflow, integer division of uint8 images",
    truth=Truth(
        rules=("constant-input", "same-for-all-samples", "predictions-ignore-input"),
        nodes=("model: input", "model.0: input", "model.0: output"),
    ),
)
