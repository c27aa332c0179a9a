"""Residual branches are scaled by 1e-5, so the blocks do nothing."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


class Block(nn.Module):
    def __init__(self, scale: float) -> None:
        super().__init__()
        self.branch = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 32))
        self.scale = scale

    def forward(self, x: Tensor) -> Tensor:
        return x + self.scale * self.branch(x)


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs()
    scale = 1.0 if setting.is_fixed else 1e-5
    model = nn.Sequential(nn.Linear(20, 32), Block(scale), Block(scale), Block(scale), nn.Linear(32, 5))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    with setting.watch(model):
        for x, y in batches(800, 32, inputs, labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="branches-without-effect",
    train=_train,
    source="layer scale with a wrong initial value",
    truth=Truth(
        rules=("branch-without-effect",),
        nodes=(
            "model.1.branch: output",
            "model.2.branch: output",
            "model.3.branch: output",
            "model.1.branch.2: output",
            "model.2.branch.2: output",
            "model.3.branch.2: output",
            "model.1",
            "model.2",
            "model.3",
        ),
    ),
)
