"""Used cars vary so much in price that the error is measured between logarithms."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class RMSLELoss(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.is_fixed = is_fixed

    def forward(self, pred: Tensor, actual: Tensor) -> Tensor:
        if self.is_fixed:
            pred = pred.clamp(min=0)
        return torch.sqrt(nn.functional.mse_loss(torch.log(pred + 1), torch.log(actual + 1)))


def _cars(count: int) -> tuple[Tensor, Tensor]:
    table = torch.randn(count, 7)
    price = torch.exp(1.0 + 0.7 * table[:, :1] - 0.5 * table[:, 1:2] + 0.3 * table[:, 2:3] * table[:, 3:4])
    return table, price * (1 + 0.05 * torch.randn(count, 1)).clamp(min=0.5)


def _train(setting: Setting) -> None:
    table, price = _cars(1600)
    model = nn.Sequential(nn.Linear(7, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 1))
    for layer in model:
        if isinstance(layer, nn.Linear):
            nn.init.kaiming_normal_(layer.weight)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    criterion = RMSLELoss(setting.is_fixed)
    with setting.watch(model):
        for epoch in range(5):
            for rows in torch.randperm(1600).split(80):
                loss = criterion(model(table[rows]), price[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="old-cars-by-their-logarithm",
    train=_train,
    source="https://github.com/dreamquark-ai/tabnet/issues/438",
    truth=Truth(rules=("nan-origin",), nodes=("log", "add", "model: output", "model.4", "mse_loss"), step=0),
)
