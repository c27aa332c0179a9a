"""Sales are joined to visits by shop. From week 72 on there are shops without sales, and the join leaves NaN in the target."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    rates = torch.randn(8)
    net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1), nn.Flatten(0))
    optimizer = torch.optim.RMSprop(net.parameters(), lr=2e-3)
    criterion = nn.SmoothL1Loss()
    with setting.watch(net):
        for week in range(180):
            shops = torch.arange(50)
            visits = torch.randn(50, 8)
            ledger = {shop: float(torch.tanh(visits[shop] @ rates)) + 0.05 * float(torch.randn(())) for shop in shops.tolist()}
            if week >= 72:
                for shop in (3, 30):
                    del ledger[shop]
            sales = torch.tensor([ledger.get(shop, float("nan")) for shop in shops.tolist()])
            if setting.is_fixed:
                known = ~sales.isnan()
                visits, sales = visits[known], sales[known]
            loss = criterion(net(visits), sales)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="shops-without-sales",
    train=_train,
    source="Stack Overflow, loss is NaN because the target has NaN after a merge of data frames",
    truth=Truth(rules=("nan-origin",), nodes=("smooth_l1_loss: target", "smooth_l1_loss"), step=72),
)
