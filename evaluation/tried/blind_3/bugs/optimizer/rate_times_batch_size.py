"""The rate is scaled with the size of the batch, without dividing by the size that it was made for."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.worlds import gratings

BASE_RATE, BASE_BATCH, BATCH = 0.1, 64, 64


def _train(setting: Setting) -> None:
    images, angles = gratings(900)
    net = nn.Sequential(nn.Conv2d(3, 12, 3, stride=2), nn.ReLU(), nn.Conv2d(12, 24, 3, stride=2), nn.ReLU(), nn.Flatten(), nn.Linear(96, 4))
    rate = BASE_RATE * BATCH / (BASE_BATCH if setting.is_fixed else 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=rate)
    with setting.watch(net):
        for x, y in batches(250, BATCH, images, angles):
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(x), y).backward()
            optimizer.step()


PROGRAM = Program(
    name="rate-times-batch-size",
    train=_train,
    source="Goyal et al. 2017 (linear scaling), and questions about applying it",
    truth=Truth(
        rules=(
            "updates-too-large",
            "diverging-loss",
            "oscillating-loss",
            "dead-relu",
            "exploding-gradient",
            "nan-origin",
            "runaway-growth",
            "gradient-spike",
        )
    ),
)
