"""A column is the same in all rows: dividing by its deviation makes it NaN before the first step."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.everyday import houses
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    table, price = houses(900)
    table = torch.cat([table, torch.full((900, 1), 20.0)], dim=1)
    means, stds = table.mean(dim=0), table.std(dim=0)
    if setting.is_fixed:
        stds = torch.where(stds == 0, 1, stds)
    conts = (table - means) / stds
    price = (price - price.mean()) / price.std()
    model = nn.Sequential(nn.Linear(6, 50), nn.ReLU(), nn.BatchNorm1d(50), nn.Dropout(0.05), nn.Linear(50, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for epoch in range(6):
            for rows in torch.randperm(900).split(45):
                loss = nn.functional.mse_loss(model(conts[rows]), price[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="column-that-never-changes",
    train=_train,
    source="https://github.com/fastai/fastai/issues/889",
    truth=Truth(rules=("nan-origin",), nodes=("model: input",)),
)
