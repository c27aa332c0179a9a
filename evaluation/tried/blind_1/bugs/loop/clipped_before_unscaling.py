"""Gradients are clipped while they are still multiplied by the loss scale, so every step is 65536 times too small."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    images, labels = digits(1200)
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Conv2d(8, 16, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(144, 6),
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu")
    with setting.watch(model):
        for x, y in batches(500, 32, images, labels):
            optimizer.zero_grad()
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = nn.functional.cross_entropy(model(x), y)
            scaler.scale(loss).backward()
            if setting.is_fixed:
                scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()


PROGRAM = Program(
    name="clipped-before-unscaling",
    train=_train,
    source="pytorch/examples issue 1196, milesial/Pytorch-UNet issue 468",
    truth=Truth(rules=("always-clipped", "updates-too-small", "loss-does-not-fall")),
    chose_thresholds=True,
)
