"""Pixels are divided by 255 by the loader and once more by the script: all pictures are almost black."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting, Truth


def load(count: int) -> tuple[Tensor, Tensor]:
    pictures, labels = digits(count)
    return (pictures * 255).byte() / 255, labels


def _train(setting: Setting) -> None:
    pictures, labels = load(900)
    if not setting.is_fixed:
        pictures = pictures / 255
    net = nn.Sequential(nn.Conv2d(1, 12, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(300, 32), nn.ReLU(), nn.Linear(32, 6))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    with setting.watch(net):
        for x, y in batches(250, 32, pictures, labels):
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(x), y).backward()
            optimizer.step()


PROGRAM = Program(
    name="divided-by-255-twice",
    train=_train,
    source="Stack Overflow, ToTensor already divides by 255",
    truth=Truth(
        rules=("same-for-all-samples", "loss-does-not-fall", "predictions-ignore-input", "input-not-normalized", "constant-input"),
        nodes=(
            "model: input",
            "model.0: input",
            *(f"model.{i}: output" for i in range(7)),
            "model: output",
            "model.0",
            "model.4",
            "model.6",
        ),
    ),
)
