"""SGD with a learning rate of 1, reached in 40 steps and lowered along a cosine. Batch normalization makes it possible."""

from __future__ import annotations

import math

import torch
from torch import nn
from torch.nn import functional as F

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs(count=4000)
    model = nn.Sequential(
        nn.Linear(20, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 5)
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    steps = 250
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / 40, 0.5 + 0.5 * math.cos(math.pi * max(0, step - 40) / (steps - 40)))
    )
    with setting.watch(model):
        for x, y in batches(steps, 128, inputs, labels):
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    print(f"loss {loss.item():.3f}")


PROGRAM = Program(name="large-rate-after-a-warmup", train=_train, source="Goyal et al. 2017; Smith and Topin 2018")
