"""The function that trains on a batch makes its own Adam, which thus never remembers anything."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import regression_table
from evaluation.program import Program, Setting, Truth


def fit(model: nn.Module, optimizer: torch.optim.Optimizer | None, inputs: Tensor, targets: Tensor) -> float:
    optimizer = optimizer or torch.optim.Adam(model.parameters(), lr=0.01)
    optimizer.zero_grad()
    cost = nn.functional.mse_loss(model(inputs), targets)
    cost.backward()
    optimizer.step()
    return cost.item()


def _train(setting: Setting) -> None:
    x, y = regression_table(1600, features=8)
    model = nn.Sequential(nn.Linear(8, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, 1))
    kept = torch.optim.Adam(model.parameters(), lr=0.01) if setting.is_fixed else None
    with setting.watch(model):
        for epoch in range(4):
            costs = [fit(model, kept, x[rows], y[rows]) for rows in torch.randperm(1600).split(32)]
            print(f"epoch {epoch}: {sum(costs) / len(costs):.4f}")


PROGRAM = Program(
    name="optimizer-made-in-every-call",
    train=_train,
    source="https://github.com/haydnv/tinychain/pull/51",
    truth=Truth(rules=("optimizer-made-anew",)),
)
