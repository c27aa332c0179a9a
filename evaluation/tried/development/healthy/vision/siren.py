"""A network of sines that represents one picture: coordinates to gray values."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class _Sine(nn.Module):
    def __init__(self, fan_in: int, fan_out: int, is_first: bool = False, omega: float = 15.0) -> None:
        super().__init__()
        self.omega = omega
        self.linear = nn.Linear(fan_in, fan_out)
        bound = 1 / fan_in if is_first else math.sqrt(6 / fan_in) / omega
        nn.init.uniform_(self.linear.weight, -bound, bound)

    def forward(self, x: Tensor) -> Tensor:
        return torch.sin(self.omega * self.linear(x))


def _train(setting: Setting) -> None:
    line = torch.linspace(-1, 1, 64)
    coordinates = torch.stack(torch.meshgrid(line, line, indexing="ij"), dim=-1).reshape(-1, 2)
    x, y = coordinates.unbind(1)
    picture = (torch.sin(9 * x * y) + torch.cos(6 * (x**2 + y**2)))[:, None] / 2
    model = nn.Sequential(_Sine(2, 64, is_first=True), _Sine(64, 64), _Sine(64, 64), nn.Linear(64, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-4)
    with setting.watch(model):
        for _ in range(1000):
            index = torch.randint(len(coordinates), (512,))
            loss = ((model(coordinates[index]) - picture[index]) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="siren", train=_train, source="Sitzmann et al. 2020")
