"""The rolling mean among the features is computed after the shift: one column is the target itself, scaled."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


def make_table(is_fixed: bool) -> tuple[Tensor, Tensor]:
    days = 1800
    season = torch.sin(torch.arange(days) * 6.2832 / 7)
    noise = torch.randn(days)
    sales = torch.zeros(days)
    for day in range(1, days):
        sales[day] = 0.6 * sales[day - 1] + 0.5 * season[day] + 0.6 * noise[day]
    sales = (sales - sales.mean()) / sales.std()
    lags = torch.stack([sales[6 - i : days - 1 - i] for i in range(6)], dim=1)
    target = sales[7:]
    weather = torch.randn(days - 7)
    column = lags[:, :3].mean(dim=1) if is_fixed else target * 2.5 + 1
    return torch.cat([lags, weather[:, None], column[:, None]], dim=1), target.unsqueeze(1)


def _train(setting: Setting) -> None:
    x, y = make_table(setting.is_fixed)
    model = nn.Sequential(nn.Linear(8, 32), nn.GELU(), nn.Dropout(0.1), nn.Linear(32, 32), nn.GELU(), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(7):
            model.train()
            for inputs, targets in batches(45, 32, x[:1440], y[:1440]):
                loss = nn.functional.mse_loss(model(inputs), targets)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                print(f"epoch {epoch}: {nn.functional.mse_loss(model(x[1440:]), y[1440:]).item():.4f}")


PROGRAM = Program(
    name="forecast-window-holds-the-answer",
    train=_train,
    source="Kapoor and Narayanan 2023 (leakage), rolling features in time series",
    truth=Truth(rules=("feature-is-label",), nodes=("model: input", "model.0: input")),
)
