"""Gradients are clipped to a norm of 0.001, with plain descent: a step is a thousandth of the rate."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.worlds import spirals


def _train(setting: Setting) -> None:
    points, arms = spirals(1500)
    net = nn.Sequential(nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 3))
    limit = 1.0 if setting.is_fixed else 0.001
    optimizer = torch.optim.SGD(net.parameters(), lr=0.3, momentum=0.8)
    with setting.watch(net):
        for step, (place, arm) in enumerate(batches(400, 64, points, arms)):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(net(place), arm)
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), limit)
            optimizer.step()
            if step % 80 == 79:
                print(f"step {step}: {loss.item():.3f}")


PROGRAM = Program(
    name="norm-of-a-thousandth",
    train=_train,
    source="PyTorch forum, how to choose max_norm of clip_grad_norm_",
    truth=Truth(rules=("always-clipped", "updates-too-small", "loss-does-not-fall", "predictions-ignore-input")),
)
