"""The rate rises for a third of the training and falls for the rest, while the momentum goes the other way."""

from __future__ import annotations

import torch
from torch import nn
from torch.optim.lr_scheduler import OneCycleLR

from evaluation.datasets import batches
from evaluation.program import Program, Setting
from evaluation.worlds import gratings

STEPS = 180


def stage(ins: int, outs: int) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(ins, outs, 3, padding=1, bias=False), nn.BatchNorm2d(outs), nn.ReLU(), nn.MaxPool2d(2))


def _train(setting: Setting) -> None:
    images, angles = gratings(1400)
    net = nn.Sequential(stage(3, 16), stage(16, 24), nn.Flatten(), nn.Linear(24 * 9, 4))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9, weight_decay=5e-4)
    schedule = OneCycleLR(optimizer, max_lr=0.1, total_steps=STEPS)
    with setting.watch(net):
        for image, angle in batches(STEPS, 40, images, angles):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(net(image), angle)
            loss.backward()
            optimizer.step()
            schedule.step()


PROGRAM = Program(name="one-cycle", train=_train, source="Smith and Topin 2019")
