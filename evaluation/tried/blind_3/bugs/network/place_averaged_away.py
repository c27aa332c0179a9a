"""A network for places averages over the whole picture before it says where something is."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import shapes


def _train(setting: Setting) -> None:
    data = shapes(800, size=12, noise=0.2)
    grid = 3 if setting.is_fixed else 1
    net = nn.Sequential(
        nn.Conv2d(1, 12, 3, padding=1, padding_mode="circular"),
        nn.ReLU(),
        nn.Conv2d(12, 16, 3, padding=1, padding_mode="circular"),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(grid),
        nn.Flatten(),
        nn.Linear(16 * grid**2, 2),
    )
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    with setting.watch(net):
        for images, centers in batches(200, 32, data.images, data.centers):
            loss = nn.functional.mse_loss(net(images), centers)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="place-averaged-away",
    train=_train,
    source="Liu et al. 2018 (CoordConv); questions about global pooling in regressions of coordinates",
    truth=Truth(
        rules=("predictions-ignore-input", "loss-does-not-fall", "same-for-all-samples"),
        nodes=("model: output", "model.6: output", "model.4: output", "model.5: output", "model.6", "model.4"),
    ),
)
