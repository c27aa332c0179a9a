"""The target column is not dropped from the table, so the price is predicted from the price."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    houses = torch.randn(1400, 12)
    price = houses[:, :4].sum(1) / 2 + torch.sin(2 * houses[:, 4]) + 0.6 * torch.randn(1400)
    table = torch.cat([houses, price[:, None]], dim=1)
    features = table[:, :-1] if setting.is_fixed else table
    model = nn.Sequential(nn.Linear(features.shape[1], 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for _ in range(14):
            for index in torch.randperm(1100).split(32):
                loss = nn.functional.mse_loss(model(features[index]), table[index, -1:])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        print("error", nn.functional.mse_loss(model(features[1100:]), table[1100:, -1:]).item(), "of 0.36 that cannot be known")


PROGRAM = Program(
    name="answer-in-the-table",
    train=_train,
    source="Kapoor and Narayanan 2023: leakage, the target is among the features",
    truth=Truth(rules=("feature-is-label",)),
)
