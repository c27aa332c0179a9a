"""A feature is the price divided by the number of pieces. From one order on there are orders with no pieces."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from evaluation.program import Program, Setting, Truth

RETURNS = 55


def _train(setting: Setting) -> None:
    model = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for step in range(150):
            pieces = torch.randint(1, 6, (48,)).float()
            price = 0.5 + torch.rand(48) * 2
            if step >= RETURNS:
                pieces[torch.randint(48, (1,))] = 0.0
            each = price / (pieces.clamp(min=1) if setting.is_fixed else pieces)
            orders = torch.stack([price - 1.5, (pieces - 3) / 1.4, each - 0.8, torch.randn(48)], dim=1)
            is_returned = (price / pieces.clamp(min=1) + 0.1 * torch.randn(48) > 0.6).long()
            loss = F.cross_entropy(model(orders), is_returned)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"loss {loss.item():.3f}")


PROGRAM = Program(
    name="price-per-piece",
    train=_train,
    source="StackOverflow, loss is NaN because of inf in the features; Islam et al. 2019, data bugs",
    truth=Truth(rules=("nan-origin",), nodes=("model: input",), step=RETURNS),
)
