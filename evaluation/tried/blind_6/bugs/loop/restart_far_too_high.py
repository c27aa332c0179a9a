"""A warm restart sets the learning rate to 6, where 0.06 was meant. Training falls apart in that step."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth

RESTART = 120


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs(classes=6)
    model = nn.Sequential(nn.Linear(20, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 6))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.06, momentum=0.9)
    with setting.watch(model):
        for step, (x, y) in enumerate(batches(220, 64, inputs, labels)):
            if step == RESTART:
                for group in optimizer.param_groups:
                    group["lr"] = 0.06 if setting.is_fixed else 6.0
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"accuracy {(model(inputs).argmax(1) == labels).float().mean():.2f}")


PROGRAM = Program(
    name="restart-far-too-high",
    train=_train,
    source="Forums on warm restarts; Loshchilov and Hutter 2017",
    truth=Truth(
        rules=(
            "updates-too-large",
            "diverging-loss",
            "exploding-gradient",
            "gradient-spike",
            "saturated-units",
            "oscillating-loss",
            "runaway-growth",
            "logit-growth",
        ),
        step=RESTART,
    ),
)
