"""A table for regression is sorted by its target and not shuffled."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import regression_table
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, targets = regression_table(3200)
    order = targets[:, 0].argsort()
    if setting.is_fixed:
        order = order[torch.randperm(3200)]
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(inputs[order], targets[order]), batch_size=32)
    model = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for _ in range(9):
            for x, y in loader:
                loss = nn.functional.mse_loss(model(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


PROGRAM = Program(
    name="sorted-by-target",
    train=_train,
    source="DataLoader without shuffle=True",
    truth=Truth(rules=("batches-not-shuffled",)),
)
