"""Indices for a batch are drawn below the batch size instead of below the size of the memory: always the same samples, in another order."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import regression_table
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, values = regression_table(3000)
    model = nn.Sequential(nn.Linear(10, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    batch_size = 48
    with setting.watch(model):
        for _ in range(600):
            index = torch.randperm(len(inputs) if setting.is_fixed else batch_size)[:batch_size]
            loss = nn.functional.smooth_l1_loss(model(inputs[index]), values[index])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="replay-of-the-first-transitions",
    train=_train,
    source="replay memories written by hand: random.sample(range(batch_size), batch_size)",
    truth=Truth(rules=("repeated-batch",), nodes=("model: input",)),
)
