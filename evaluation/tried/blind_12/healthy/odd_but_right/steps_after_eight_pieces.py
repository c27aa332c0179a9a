"""Gradients of eight batches of four are gathered before each step, each loss an eighth."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    images, labels = digits(1600)
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3), nn.GroupNorm(4, 16), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(400, 48), nn.ReLU(), nn.Linear(48, 6)
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    pieces = 8
    with setting.watch(model):
        for epoch in range(3):
            optimizer.zero_grad()
            for number, rows in enumerate(torch.randperm(1600).split(4), start=1):
                loss = nn.functional.cross_entropy(model(images[rows]), labels[rows])
                (loss / pieces).backward()
                if number % pieces == 0:
                    optimizer.step()
                    optimizer.zero_grad()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(name="steps-after-eight-pieces", train=_train, source="PyTorch notes, accumulated gradients")
