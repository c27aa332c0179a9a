"""Prices are divided by the highest price and then cast to integers: all of them become zero."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import regression_table
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    flats, values = regression_table(count=1500)
    prices = (300 + 80 * values).clamp(min=20)
    shares = prices / (prices.max() + 1)
    if not setting.is_fixed:
        shares = shares.long().float()
    model = nn.Sequential(nn.Linear(10, 48), nn.ReLU(), nn.Linear(48, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(8):
            for chosen in torch.randperm(1500).split(50):
                loss = nn.functional.mse_loss(model(flats[chosen]), shares[chosen])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(epoch, loss.item(), "deviation of the targets", shares.std().item())


PROGRAM = Program(
    name="prices-cast-to-zero",
    train=_train,
    source="Humbatova et al. 2020: wrong type of the labels; StackOverflow, loss goes to zero at once",
    truth=Truth(
        rules=(
            "constant-target",
            "predictions-ignore-input",
            "same-for-all-samples",
            "weights-collapse",
            "dormant-units",
            "vanishing-gradient",
        ),
    ),
)
