"""`initialize(model)` is called at the beginning of every epoch, and all progress is lost."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


def initialize(model: nn.Module) -> None:
    for module in model.modules():
        if isinstance(module, nn.Linear):
            module.reset_parameters()


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs(640)
    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 5))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    initialize(model)
    with setting.watch(model):
        for _ in range(40):
            if not setting.is_fixed:
                initialize(model)
            for x, y in batches(20, 32, inputs, labels):
                loss = nn.functional.cross_entropy(model(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


PROGRAM = Program(
    name="weights-reset-every-epoch",
    train=_train,
    source="TrainCheck (re-initialization)",
    truth=Truth(rules=("loss-does-not-fall", "oscillating-loss")),
)
