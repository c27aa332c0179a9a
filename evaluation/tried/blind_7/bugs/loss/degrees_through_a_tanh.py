"""The direction of the wind is wanted in degrees, from -180 to 180, and the network ends in a tanh."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Vane(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.hidden1 = nn.Linear(7, 48)
        self.hidden2 = nn.Linear(48, 48)
        self.direction = nn.Linear(48, 1)

    def forward(self, pressures: Tensor) -> Tensor:
        h = torch.relu(self.hidden1(pressures))
        h = torch.relu(self.hidden2(h))
        return torch.tanh(self.direction(h))


def _train(setting: Setting) -> None:
    pressures = torch.randn(1500, 7)
    degrees = 150 * torch.tanh(pressures @ torch.randn(7, 1) / 2) + 3 * torch.randn(1500, 1)
    vane = Vane()
    optimizer = torch.optim.Adam(vane.parameters(), lr=2e-3)
    unit = 180.0 if setting.is_fixed else 1.0
    with setting.watch(vane):
        for x, y in batches(240, 40, pressures, degrees):
            loss = nn.functional.l1_loss(vane(x), y / unit)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="degrees-through-a-tanh",
    train=_train,
    source="Humbatova et al. 2020, model: wrong activation of the last layer; Stack Overflow, output does not reach the targets",
    truth=Truth(
        rules=("target-out-of-range", "saturated-units"),
        nodes=("l1_loss: target", "l1_loss", "model: output", "model.direction", "model.direction: output"),
    ),
)
