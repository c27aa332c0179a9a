"""Adadelta gets a learning rate of 0.001, which is usual for Adam. It already makes steps of its own size, and now hardly moves."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import gratings


def conv(inside: int, outside: int) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(inside, outside, 3), nn.ReLU(), nn.MaxPool2d(2))


def _train(setting: Setting) -> None:
    images, angles = gratings(1000)
    net = nn.Sequential(conv(3, 16), conv(16, 24), nn.Flatten(), nn.Dropout(0.2), nn.Linear(96, 4))
    optimizer = torch.optim.Adadelta(net.parameters(), lr=1.0 if setting.is_fixed else 1e-3)
    with setting.watch(net):
        for epoch in range(5):
            net.train()
            for rows in torch.randperm(1000).split(40):
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(net(images[rows]), angles[rows])
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.3f}")


PROGRAM = Program(
    name="adadelta-with-the-rate-of-adam",
    train=_train,
    source="Common mistake: the usual rate of another optimizer; Humbatova et al. 2020, suboptimal learning rate",
    truth=Truth(rules=("updates-too-small", "loss-does-not-fall")),
)
