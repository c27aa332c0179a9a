"""Losses `[N]` are multiplied by weights `[N, 1]`: every loss meets every weight, and unreliable samples count fully."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, regression_table
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    x, y = regression_table(1500)
    # A broken device answered with a constant, and its rows have the weight 0.
    is_broken = torch.rand(1500, 1) < 0.5
    y = torch.where(is_broken, 6.0, y)
    weights = (~is_broken).float()
    net = nn.Sequential(nn.Linear(10, 48), nn.ReLU(), nn.Linear(48, 1))
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    with setting.watch(net):
        for inputs, targets, weight in batches(250, 32, x, y, weights):
            losses = nn.functional.mse_loss(net(inputs), targets, reduction="none").mean(dim=1)
            if setting.is_fixed:
                weight = weight.squeeze(1)
            loss = (losses * weight).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="column-of-sample-weights",
    train=_train,
    source="Stack Overflow, sample weights with reduction='none'",
    truth=Truth(rules=("broadcast-in-loss", "loss-does-not-fall", "predictions-ignore-input")),
)
