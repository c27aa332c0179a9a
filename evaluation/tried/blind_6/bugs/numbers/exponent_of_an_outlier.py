"""Poisson regression with an exponential. A customer with 9,000 visits is in one batch: the expected number is infinite."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth

OUTLIER = 95


def _train(setting: Setting) -> None:
    model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for step in range(180):
            customer = torch.randn(64, 6)
            orders = torch.poisson(torch.exp(0.6 * customer[:, :1] - 0.4 * customer[:, 1:2]))
            if step == OUTLIER:
                customer[3] = torch.tensor([9000.0, -9000.0, 0.0, 0.0, 0.0, 0.0])
            if setting.is_fixed:
                customer = customer.clamp(-4, 4)
            score = model(customer)
            rate = torch.exp(score)
            loss = (rate - orders * score).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"loss {loss.item():.3f}")


PROGRAM = Program(
    name="exponent-of-an-outlier",
    train=_train,
    source="StackOverflow, overflow of exp in Poisson regression",
    truth=Truth(
        rules=("nan-origin",),
        nodes=(
            "exp",
            "sub",
            "mean",
        ),
        step=OUTLIER,
    ),
)
