"""Micro-batches of 8 with GroupNorm: gradients of four of them are accumulated, each divided by four."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting

ACCUMULATE = 4


def _train(setting: Setting) -> None:
    images, labels = digits(1000, classes=5, size=10)
    images = (images - images.mean()) / images.std()
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.GroupNorm(4, 16),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 16, 3, padding=1),
        nn.GroupNorm(4, 16),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(400, 5),
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    criterion = nn.CrossEntropyLoss()
    with setting.watch(model):
        optimizer.zero_grad()
        for step, (x, y) in enumerate(batches(400, 8, images, labels)):
            loss = criterion(model(x), y) / ACCUMULATE
            loss.backward()
            if (step + 1) % ACCUMULATE == 0:
                optimizer.step()
                optimizer.zero_grad()
            if step % 100 == 0:
                print(step, loss.item() * ACCUMULATE)


PROGRAM = Program(name="accumulated-batches", train=_train, source="Hugging Face, gradient accumulation")
