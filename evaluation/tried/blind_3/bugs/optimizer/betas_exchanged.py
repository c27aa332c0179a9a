"""The two betas of Adam are exchanged: it averages gradients over a thousand steps and their squares over ten."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.worlds import spirals


def _train(setting: Setting) -> None:
    points, arms = spirals(1500)
    net = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 3))
    betas = (0.9, 0.999) if setting.is_fixed else (0.999, 0.9)
    optimizer = torch.optim.Adam(net.parameters(), lr=5e-3, betas=betas)
    with setting.watch(net):
        for x, y in batches(400, 64, points, arms):
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(x), y).backward()
            optimizer.step()


PROGRAM = Program(
    name="betas-exchanged",
    train=_train,
    source="Reddi et al. 2018 (convergence of Adam): beta1 has to be below the root of beta2",
    truth=Truth(
        rules=(
            "diverging-loss",
            "oscillating-loss",
            "updates-too-large",
            "runaway-growth",
            "loss-does-not-fall",
            "logit-growth",
            "dead-relu",
        )
    ),
)
