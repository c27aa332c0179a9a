"""Gradients should be accumulated over 16 batches, and are cleared after each of them."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.worlds import gratings

ACCUMULATE = 16


def _train(setting: Setting) -> None:
    images, angles = gratings(900)
    net = nn.Sequential(nn.Conv2d(3, 12, 3, stride=2), nn.ReLU(), nn.Conv2d(12, 16, 3, stride=2), nn.ReLU(), nn.Flatten(), nn.Linear(64, 4))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.3)
    with setting.watch(net):
        for step, (x, y) in enumerate(batches(400, 8, images, angles), start=1):
            loss = nn.functional.cross_entropy(net(x), y) / ACCUMULATE
            loss.backward()
            if step % ACCUMULATE == 0:
                optimizer.step()
            if step % ACCUMULATE == 0 or not setting.is_fixed:
                optimizer.zero_grad()


PROGRAM = Program(
    name="zero-grad-inside-accumulation",
    train=_train,
    source="PyTorch forum, gradient accumulation with zero_grad in every iteration",
    truth=Truth(rules=("updates-too-small", "loss-does-not-fall", "never-updated")),
)
