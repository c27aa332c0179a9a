"""The gradients of earlier steps are never cleared: `optimizer.zero_grad()` is missing."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs = torch.randn(2000, 16)
    labels = (inputs @ torch.randn(16, 4)).argmax(dim=1)
    model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    with setting.watch(model):
        for _ in range(800):
            batch = torch.randint(0, len(inputs), (32,))
            loss = nn.functional.cross_entropy(model(inputs[batch]), labels[batch])
            if setting.is_fixed:
                optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="zero-grad-missing",
    train=_train,
    source="TrainCheck, Stack Overflow 60335387",
    truth=Truth(rules=("gradients-left-over",), step=1),
)
