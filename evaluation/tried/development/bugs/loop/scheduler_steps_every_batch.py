"""A scheduler meant for epochs is called after every batch: after 60 batches the learning rate is 1e-9 of what it was."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    images, labels = digits()
    model = nn.Sequential(nn.Flatten(), nn.Linear(144, 64), nn.ReLU(), nn.Linear(64, 6))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=7, gamma=0.1)
    with setting.watch(model):
        for _ in range(14):
            for x, y in batches(46, 32, images, labels):
                loss = nn.functional.cross_entropy(model(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                if not setting.is_fixed:
                    scheduler.step()


PROGRAM = Program(
    name="scheduler-steps-every-batch",
    train=_train,
    source="Stack Overflow 60050586",
    truth=Truth(rules=("updates-too-small", "loss-does-not-fall"), step=60),
)
