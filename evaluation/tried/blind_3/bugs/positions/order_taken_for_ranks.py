"""One `argsort` gives the order of the scores, and it is used as their ranks, which needs a second one."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    # Six runners per race. Where each of them comes in depends on them alone.
    runners = torch.randn(1200, 6, 5)
    speed = torch.tanh(runners @ torch.randn(5)) + 0.3 * runners[..., 0] ** 2
    places = speed.argsort(dim=1)
    if setting.is_fixed:
        places = places.argsort(dim=1)
    targets = places / 2.5 - 1
    net = nn.Sequential(nn.Linear(5, 48), nn.ReLU(), nn.Linear(48, 1), nn.Flatten(1))
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    with setting.watch(net):
        for x, y in batches(250, 24, runners, targets):
            loss = nn.functional.mse_loss(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="order-taken-for-ranks",
    train=_train,
    source="Stack Overflow, argsort is not rank",
    truth=Truth(rules=("loss-does-not-fall", "predictions-ignore-input")),
)
