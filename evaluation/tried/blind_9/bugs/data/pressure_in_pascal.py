"""One of five weather measurements is air pressure in pascal: about 101325, and never far from it."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


def measure(count: int) -> tuple[Tensor, Tensor]:
    """Temperature, humidity, pressure, wind and month; and the logarithm of tomorrow's rain."""
    temperature = 12 + 6 * torch.randn(count)
    humidity = 30 + 65 * torch.rand(count)
    pressure = 101325 + 900 * torch.randn(count)
    wind = 5 * torch.rand(count)
    month = torch.randint(1, 13, (count,)).float()
    rain = 0.03 * humidity - (pressure - 101325) / 700 + 0.4 * (month / 2).sin() + 0.1 * torch.randn(count)
    return torch.stack([temperature, humidity, pressure, wind, month], dim=1), (rain - 2)[:, None]


class RainModel(nn.Module):
    def __init__(self, columns: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(columns, 32)
        self.out = nn.Linear(32, 1)

    def forward(self, weather: Tensor) -> Tensor:
        return self.out(torch.tanh(self.hidden(weather)))


def _train(setting: Setting) -> None:
    weather, rain = measure(1600)
    if setting.is_fixed:
        weather = (weather - weather.mean(dim=0)) / weather.std(dim=0)
    model = RainModel(weather.shape[1])
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for step in range(160):
            days = torch.randint(len(weather), (50,))
            loss = nn.functional.mse_loss(model(weather[days]), rain[days])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 40 == 39:
                print(step, loss.item())


PROGRAM = Program(
    name="pressure-in-pascal",
    train=_train,
    source="Humbatova et al. 2020, preprocessing of training data: missing normalization",
    truth=Truth(
        rules=("input-not-normalized", "saturated-units", "predictions-ignore-input"),
        nodes=("model: input weather", "model.hidden: output", "model.hidden", "model.out: input", "model.out"),
    ),
)
