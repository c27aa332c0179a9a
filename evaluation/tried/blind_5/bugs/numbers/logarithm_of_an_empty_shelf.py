"""Stocks of a shop go through a logarithm. On the hundredth day a shelf is empty, and its logarithm is infinite."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Shop(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.is_fixed = is_fixed
        self.shelf = nn.Linear(8, 32)
        self.sales = nn.Linear(32, 1)

    def forward(self, stock: Tensor) -> Tensor:
        level = torch.log1p(stock) if self.is_fixed else torch.log(stock)
        return self.sales(torch.relu(self.shelf(level - 2)))


def _train(setting: Setting) -> None:
    demand = torch.randn(8, 1) / 3
    model = _Shop(setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for day in range(200):
            stock = torch.randint(1, 30, (40, 8)).float()
            if day >= 100:
                stock[day % 40, 3] = 0
            sales = (stock.add(1).log() - 2) @ demand
            loss = nn.functional.mse_loss(model(stock), sales)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if day % 33 == 32:
                print(day, loss.item())


PROGRAM = Program(
    name="logarithm-of-an-empty-shelf",
    train=_train,
    source="DeepLocalize (Wardat et al. 2021): NaN in a layer; TheDeepChecker: invalid logarithm",
    truth=Truth(rules=("nan-origin",), nodes=("model.shelf: input", "model.shelf", "model: input stock", "model: input"), step=100),
)
