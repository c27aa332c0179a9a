"""A weight initialisation assigns new parameters after the optimizer was made, which holds the old ones."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, regression_table
from evaluation.program import Program, Setting, Truth


def _initialize(module: nn.Module) -> None:
    if isinstance(module, nn.Linear):
        module.weight = nn.Parameter(torch.randn_like(module.weight) * (2 / module.in_features) ** 0.5)


def _train(setting: Setting) -> None:
    inputs, targets = regression_table()
    model = nn.Sequential(nn.Linear(10, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 1))
    if setting.is_fixed:
        model.apply(_initialize)
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    else:
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
        model.apply(_initialize)
    with setting.watch(model):
        for x, y in batches(700, 32, inputs, targets):
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="weights-assigned-after-optimizer",
    train=_train,
    source="PyTorch's documentation of torch.optim: parameters must exist before the optimizer is made",
    truth=Truth(
        rules=("not-in-optimizer", "never-updated"),
        nodes=("model", *(f"model.{k}{what}" for k in (0, 2, 4) for what in ("", ".weight"))),
    ),
)
