"""The rate begins at exactly 0 and rises for thirty steps, and the targets are smoothed, so the loss cannot come near 0."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.datasets import digits
from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    loader = DataLoader(TensorDataset(*digits(1200)), batch_size=40, shuffle=True)
    net = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.GroupNorm(4, 16),
        nn.GELU(),
        nn.Conv2d(16, 24, 3, stride=2),
        nn.GroupNorm(4, 24),
        nn.GELU(),
        nn.Flatten(),
        nn.Linear(24 * 25, 6),
    )
    optimizer = torch.optim.AdamW(net.parameters(), lr=3e-3)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(step / 30, 1.0))
    criterion = nn.CrossEntropyLoss(label_smoothing=0.15)
    with setting.watch(net):
        for _ in range(6):
            for image, label in loader:
                optimizer.zero_grad()
                criterion(net(image), label).backward()
                optimizer.step()
                schedule.step()


PROGRAM = Program(name="smoothed-and-warmed-up", train=_train, source="Szegedy et al. 2016; Goyal et al. 2017")
