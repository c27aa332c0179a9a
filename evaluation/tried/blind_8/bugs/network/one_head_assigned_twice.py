"""`self.wind = self.rain = nn.Linear(...)`: two forecasts that differ come from the same layer."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class Weather(nn.Module):
    def __init__(self, apart: bool) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(9, 48), nn.ReLU(), nn.Linear(48, 32), nn.ReLU())
        self.wind = nn.Linear(32, 1)
        self.rain = nn.Linear(32, 1) if apart else self.wind

    def forward(self, station: Tensor) -> tuple[Tensor, Tensor]:
        h = self.trunk(station)
        return self.wind(h), self.rain(h)


def _train(setting: Setting) -> None:
    of_wind, of_rain = torch.randn(2, 9, 1) / 3
    model = Weather(apart=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for step in range(250):
            station = torch.randn(40, 9)
            wind, rain = model(station)
            loss_of_wind = nn.functional.mse_loss(wind, (station @ of_wind).tanh())
            loss_of_rain = nn.functional.mse_loss(rain, (station @ of_rain).abs())
            loss = loss_of_wind + loss_of_rain
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 50 == 49:
                print(f"step {step}: wind {loss_of_wind.item():.3f}, rain {loss_of_rain.item():.3f}")


PROGRAM = Program(
    name="one-head-assigned-twice",
    train=_train,
    source="Python, two names for one object; PyTorch forum, shared parameters by mistake",
    truth=Truth(
        rules=("tied-parameters",),
        nodes=("model.wind", "model.rain", *(f"model.{name}.{part}" for name in ("wind", "rain") for part in ("weight", "bias"))),
    ),
)
