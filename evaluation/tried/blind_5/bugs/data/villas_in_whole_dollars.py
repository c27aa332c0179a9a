"""Prices of villas are learned in dollars with Adam, which moves the output by a few hundredths per step."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import regression_table
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    villas, values = regression_table(count=1500)
    prices = 650_000 + 150_000 * values
    targets = (prices - prices.mean()) / prices.std() if setting.is_fixed else prices
    model = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    criterion = nn.MSELoss()
    with setting.watch(model):
        for epoch in range(8):
            for chosen in torch.randperm(1500).split(50):
                optimizer.zero_grad()
                loss = criterion(model(villas[chosen]), targets[chosen])
                loss.backward()
                optimizer.step()
            print(epoch, loss.item(), "variance", targets.var().item())


PROGRAM = Program(
    name="villas-in-whole-dollars",
    train=_train,
    source="StackOverflow, huge mean squared error for house prices; Humbatova et al. 2020: missing scaling of the output",
    truth=Truth(
        rules=(
            "initial-loss",
            "loss-does-not-fall",
            "exploding-gradient",
            "predictions-ignore-input",
            "target-out-of-range",
            "logit-growth",
            "runaway-growth",
            "input-not-normalized",
            "growing-with-depth",
        ),
    ),
)
