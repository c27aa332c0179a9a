"""The errors are summed over the batch and all outputs, with a learning rate that suits their mean."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    joints = torch.rand(2000, 4) * 2 - 1
    angles = joints.cumsum(dim=1)
    places = torch.cat([angles.cos().cumsum(1), angles.sin().cumsum(1)], dim=1)
    model = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 8))
    criterion = nn.MSELoss(reduction="mean" if setting.is_fixed else "sum")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    with setting.watch(model):
        for x, y in batches(250, 64, joints, places):
            loss = criterion(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"error {F.mse_loss(model(joints), places):.4f}")


PROGRAM = Program(
    name="sum-over-the-batch",
    train=_train,
    source="StackOverflow, reduction='sum' and a loss that explodes",
    truth=Truth(
        rules=("summed-loss", "updates-too-large", "exploding-gradient", "diverging-loss", "oscillating-loss", "runaway-growth"),
        nodes=("mse_loss", "model: output", "model.4"),
    ),
)
