"""Segmentation masks are transposed: rows and columns are swapped."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    images, _ = digits(1500)
    masks = (images[:, 0] > 0.5).long()
    if not setting.is_fixed:
        masks = masks.transpose(1, 2)
    model = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 2, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for x, y in batches(600, 16, images, masks):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="transposed-labels",
    train=_train,
    source="TheDeepChecker (wrong labels)",
    truth=Truth(rules=("loss-does-not-fall", "predictions-ignore-input")),
)
