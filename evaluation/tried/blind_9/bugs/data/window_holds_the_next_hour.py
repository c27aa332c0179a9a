"""The window of past hours is cut one hour too late: its last value is the one to forecast."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset

from evaluation.program import Program, Setting, Truth


def consumption(hours: int) -> Tensor:
    time = torch.arange(hours).float()
    weather = 0.1 * torch.randn(hours).cumsum(0)
    weather = weather - weather.mean()
    daily = torch.sin(time * 6.283 / 24 + 3 * torch.rand(1))
    load = daily + 0.4 * torch.sin(time * 6.283 / 168) + weather / (1 + weather.std()) + 0.3 * torch.randn(hours)
    return (load - load.mean()) / load.std()


class Windows(Dataset[tuple[Tensor, Tensor]]):
    def __init__(self, series: Tensor, late: int, size: int = 24) -> None:
        self.series, self.late, self.size = series, late, size

    def __len__(self) -> int:
        return len(self.series) - self.size - 1

    def __getitem__(self, at: int) -> tuple[Tensor, Tensor]:
        begin = at + self.late
        return self.series[begin : begin + self.size], self.series[at + self.size].unsqueeze(0)


class Forecaster(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(24, 40), nn.GELU(), nn.Linear(40, 1))

    def forward(self, window: Tensor) -> Tensor:
        return self.layers(window)


def _train(setting: Setting) -> None:
    data = Windows(consumption(1500), late=0 if setting.is_fixed else 1)
    model = Forecaster()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for epoch in range(4):
            for window, target in DataLoader(data, batch_size=50, shuffle=True):
                optimizer.zero_grad()
                loss = nn.functional.mse_loss(model(window), target)
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="window-holds-the-next-hour",
    train=_train,
    source="Kapoor and Narayanan 2023, leakage of the target into features",
    truth=Truth(rules=("feature-is-label",), nodes=("model: input window", "mse_loss: target")),
)
