"""Layers compute `sin(30 x)` with PyTorch's own first weights, which are far too large for it."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth

OMEGA = 30.0


class Sine(nn.Module):
    def __init__(self, inputs: int, outputs: int, bound: float | None) -> None:
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)
        if bound is None:
            nn.init.normal_(self.linear.weight)
        else:
            nn.init.uniform_(self.linear.weight, -bound, bound)

    def forward(self, x: Tensor) -> Tensor:
        return torch.sin(OMEGA * self.linear(x))


def _train(setting: Setting) -> None:
    # The sound pressure in a room, measured at random places.
    places = torch.rand(2500, 2) * 2 - 1
    pressure = torch.sin(7 * places[:, :1]) * torch.cos(5 * places[:, 1:])
    bounds = (0.3, (6 / 48) ** 0.5 / OMEGA) if setting.is_fixed else (None, None)
    net = nn.Sequential(Sine(2, 48, bounds[0]), Sine(48, 48, bounds[1]), nn.Linear(48, 1))
    optimizer = torch.optim.Adam(net.parameters(), lr=5e-4)
    with setting.watch(net):
        for x, y in batches(250, 64, places, pressure):
            loss = nn.functional.mse_loss(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="sines-with-plain-weights",
    train=_train,
    source="Sitzmann et al. 2020 (SIREN): without its initialization, training fails",
    truth=Truth(rules=("loss-does-not-fall", "predictions-ignore-input", "exploding-gradient", "updates-too-small", "growing-with-depth")),
)
