"""The outputs are put into a new tensor with `requires_grad=True` before the loss, so there is a backward but nothing learns."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, regression_table
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, targets = regression_table()
    model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))
    criterion = nn.SmoothL1Loss()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for x, y in batches(600, 32, inputs, targets):
            outputs = model(x)
            if not setting.is_fixed:
                outputs = torch.tensor(outputs.tolist(), requires_grad=True)
            loss = criterion(outputs, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="output-wrapped-again",
    train=_train,
    source="PyTorch forum, 'element 0 of tensors does not require grad' answered with requires_grad=True",
    truth=Truth(rules=("cut-path", "no-gradient"), nodes=("model", "model.4", "model: output", "model.4: output")),
)
