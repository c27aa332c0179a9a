"""The limit of a norm, divided by the number of parameters, is given to `clip_grad_value_`."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, regression_table
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, targets = regression_table()
    model = nn.Sequential(nn.Linear(10, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    size = sum(parameter.numel() for parameter in model.parameters())
    with setting.watch(model):
        for x, y in batches(800, 32, inputs, targets):
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            if setting.is_fixed:
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            else:
                nn.utils.clip_grad_value_(model.parameters(), 0.01 / size)
            optimizer.step()


PROGRAM = Program(
    name="clip-value-as-norm",
    train=_train,
    source="PyTorch forum, clip_grad_value_",
    truth=Truth(rules=("always-clipped", "updates-too-small", "loss-does-not-fall")),
)
