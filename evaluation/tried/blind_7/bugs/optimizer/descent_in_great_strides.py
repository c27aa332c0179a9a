"""Gradient descent with a rate above what the curvature allows: errors alternate and grow until they are infinite."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    x = torch.randn(400, 30)
    y = x @ torch.randn(30, 1) + 0.1 * torch.randn(400, 1)
    line = nn.Linear(30, 1)
    descent = torch.optim.SGD(line.parameters(), lr=0.1 if setting.is_fixed else 1.0)
    with setting.watch(line):
        for step in range(200):
            error = (line(x) - y).pow(2).mean()
            descent.zero_grad()
            error.backward()
            descent.step()
            if step % 25 == 0:
                print(f"{step:4d} {error.item():.3g}")


PROGRAM = Program(
    name="descent-in-great-strides",
    train=_train,
    source="Zhang et al. 2018 and Islam et al. 2019: a learning rate that is too large",
    truth=Truth(
        rules=(
            "updates-too-large",
            "diverging-loss",
            "exploding-gradient",
            "runaway-growth",
            "oscillating-loss",
            "loss-does-not-fall",
            "logit-growth",
            "nan-origin",
        ),
    ),
)
