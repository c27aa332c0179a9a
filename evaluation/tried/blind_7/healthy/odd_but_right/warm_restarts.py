"""The learning rate warms up, falls along a cosine and begins anew: the loss rises a little after each restart."""

from __future__ import annotations

import torch
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingWarmRestarts, LinearLR, SequentialLR

from evaluation.datasets import batches, curves
from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    series, following = curves(1000, length=18)
    net = nn.Sequential(nn.Flatten(), nn.Linear(18, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    schedule = SequentialLR(optimizer, [LinearLR(optimizer, 0.1, total_iters=20), CosineAnnealingWarmRestarts(optimizer, 60)], [20])
    with setting.watch(net):
        for x, y in batches(260, 32, series, following):
            loss = nn.functional.mse_loss(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()


PROGRAM = Program(name="warm-restarts", train=_train, source="Loshchilov and Hutter 2017")
