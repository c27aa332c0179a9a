"""A hypernetwork reads ten points of a function and makes the weights of a small network that continues it."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting

HIDDEN = 8


class Hyper(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.read = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
        self.make = nn.Linear(64, 3 * HIDDEN + 1)
        nn.init.normal_(self.make.weight, std=0.02)

    def forward(self, shown: Tensor, x: Tensor) -> Tensor:
        made = self.make(self.read(shown.flatten(1)))
        w1, b1, w2, b2 = made.split([HIDDEN, HIDDEN, HIDDEN, 1], dim=1)
        hidden = torch.tanh((1 + w1[:, None]) * x[:, :, None] + b1[:, None])
        return (hidden * w2[:, None]).sum(dim=2) + b2


def tasks(count: int) -> tuple[Tensor, Tensor, Tensor]:
    """Ten points `[count, 10, 2]` of a function each, and twelve others, `[count, 12]` twice."""
    slope, bend, height = torch.randn(3, count, 1)
    x = 4 * torch.rand(count, 22) - 2
    y = torch.tanh(slope * x + bend) + 0.5 * height
    return torch.stack([x[:, :10], y[:, :10]], dim=2), x[:, 10:], y[:, 10:]


def _train(setting: Setting) -> None:
    model = Hyper()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for step in range(280):
            shown, x, y = tasks(64)
            loss = nn.functional.mse_loss(model(shown, x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 56 == 55:
                print(f"{step}: {loss.item():.4f}")


PROGRAM = Program(name="weights-made-by-another-network", train=_train, source="Ha et al. 2017, hypernetworks")
