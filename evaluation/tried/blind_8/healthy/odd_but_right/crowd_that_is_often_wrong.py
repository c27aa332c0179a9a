"""Three of ten labels come from people who guessed. A robust loss learns from the others."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    x, y = class_blobs(2000, 16, 4)
    y = torch.where(torch.rand(2000) < 0.3, torch.randint(4, (2000,)), y)
    net = nn.Sequential(nn.Linear(16, 48), nn.ReLU(), nn.Dropout(0.2), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 4))
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    power = 0.5
    with setting.watch(net):
        for some, label in batches(260, 50, x, y):
            chance = net(some).softmax(dim=1).gather(1, label[:, None])
            loss = ((1 - chance.clamp(min=1e-6) ** power) / power).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="crowd-that-is-often-wrong", train=_train, source="Zhang and Sabuncu 2018, generalized cross entropy")
