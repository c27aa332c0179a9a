"""Each sample has several tags, and cross-entropy gets them as if they were probabilities of one class."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    x = torch.randn(1500, 16)
    tags = (torch.tanh(x @ torch.randn(16, 24) / 2) @ torch.randn(24, 12) > 0).float()
    net = nn.Sequential(nn.Linear(16, 64), nn.LeakyReLU(), nn.Linear(64, 12))
    criterion = nn.BCEWithLogitsLoss() if setting.is_fixed else nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    with setting.watch(net):
        for inputs, targets in batches(300, 32, x, tags):
            optimizer.zero_grad()
            criterion(net(inputs), targets).backward()
            optimizer.step()


PROGRAM = Program(
    name="several-labels-in-cross-entropy",
    train=_train,
    source="Stack Overflow, multi-label classification with CrossEntropyLoss",
    truth=Truth(
        rules=("softmax-for-several-labels", "loss-does-not-fall", "initial-loss", "target-out-of-range"),
        nodes=("model: output", "model.2: output"),
    ),
)
