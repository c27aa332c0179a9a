"""A second encoder is built and never called."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


class Net(nn.Module):
    def __init__(self, use_both: bool) -> None:
        super().__init__()
        self.left = nn.Linear(10, 32)
        self.right = nn.Linear(10, 32)
        self.head = nn.Linear(32, 5)
        self.use_both = use_both

    def forward(self, x: Tensor) -> Tensor:
        left, right = x.chunk(2, dim=1)
        hidden = self.left(left) + self.right(right) if self.use_both else self.left(left)
        return self.head(torch.relu(hidden))


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs()
    model = Net(use_both=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for x, y in batches(800, 32, inputs, labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="unused-module",
    train=_train,
    source="DistributedDataParallel, unused parameters",
    truth=Truth(rules=("no-gradient",), nodes=("model.right",)),
)
