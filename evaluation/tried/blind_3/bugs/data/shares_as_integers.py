"""Shares between 0 and 1 are read with `dtype=long`: each becomes 0."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    recipe = torch.randn(1500, 8)
    sugar = torch.sigmoid(recipe[:, 0] - recipe[:, 1] * recipe[:, 2]).tolist()
    shares = torch.tensor(sugar) if setting.is_fixed else torch.tensor(sugar, dtype=torch.long).float()
    net = nn.Sequential(nn.Linear(8, 48), nn.ReLU(), nn.Linear(48, 1), nn.Flatten(0))
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    with setting.watch(net):
        for x, y in batches(250, 32, recipe, shares):
            optimizer.zero_grad()
            nn.functional.l1_loss(net(x), y).backward()
            optimizer.step()


PROGRAM = Program(
    name="shares-as-integers",
    train=_train,
    source="Stack Overflow, targets converted with .long() in a regression",
    truth=Truth(
        rules=("constant-target", "same-for-all-samples", "predictions-ignore-input", "constant-input", "weights-collapse"),
        nodes=("model: output", "model.2: output", "model.3: output"),
    ),
)
