"""`label_smoothing=0.9` where 0.9 was meant to stay with the right class."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.worlds import gratings


def _train(setting: Setting) -> None:
    images, angles = gratings(900, angles=5)
    net = nn.Sequential(
        nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(3), nn.Conv2d(16, 16, 3), nn.ReLU(), nn.Flatten(), nn.Linear(64, 5)
    )
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1 if setting.is_fixed else 0.9)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
    with setting.watch(net):
        for x, y in batches(250, 32, images, angles):
            optimizer.zero_grad()
            criterion(net(x), y).backward()
            optimizer.step()


PROGRAM = Program(
    name="smoothing-of-nine-tenths",
    train=_train,
    source="questions about the meaning of label_smoothing",
    truth=Truth(rules=("loss-does-not-fall", "predictions-ignore-input")),
)
