"""The optimizer is made inside the loop, so its momentum starts anew with every batch."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.worlds import tones


def _train(setting: Setting) -> None:
    waves, slopes = tones(900)
    net = nn.Sequential(nn.Flatten(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 4))
    optimizer = torch.optim.SGD(net.parameters(), lr=2e-3, momentum=0.97)
    with setting.watch(net):
        for x, y in batches(350, 32, waves, slopes):
            if not setting.is_fixed:
                optimizer = torch.optim.SGD(net.parameters(), lr=2e-3, momentum=0.97)
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(net(x), y)
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="optimizer-made-every-batch",
    train=_train,
    source="Stack Overflow, loss hardly falls when Adam is created in the training step",
    truth=Truth(rules=("updates-too-small", "loss-does-not-fall", "predictions-ignore-input")),
)
