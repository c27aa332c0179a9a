"""`[[0.0] * 8] * n` is n times the same list. Each row that is filled in overwrites all others."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    count = 1000
    measured = torch.randn(count, 8)
    blank = [0.0] * 8
    rows = [list(blank) for _ in range(count)] if setting.is_fixed else [blank] * count
    for row, values in enumerate(measured.tolist()):
        for column, value in enumerate(values):
            rows[row][column] = value
    x = torch.tensor(rows)
    y = (measured[:, :4].sum(dim=1) > measured[:, 4:].prod(dim=1)).float()
    model = nn.Sequential(nn.Linear(8, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU(), nn.Linear(40, 1), nn.Flatten(0))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for some, wanted in batches(250, 40, x, y):
            loss = nn.functional.binary_cross_entropy_with_logits(model(some), wanted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="rows-of-one-list",
    train=_train,
    source="Stack Overflow 240178, a list of lists changes unexpectedly",
    truth=Truth(
        rules=("constant-input", "same-for-all-samples", "repeated-batch", "predictions-ignore-input"),
        nodes=("model: input", "model.0: input", "model.0: output", "model: output", "model.4: output"),
    ),
)
