"""Affine couplings turn spirals into a normal distribution. Its last layers begin at zero, and its loss may become negative."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.worlds import spirals


class Coupling(nn.Module):
    def __init__(self, swap: bool, width: int = 40) -> None:
        super().__init__()
        self.swap = swap
        self.net = nn.Sequential(nn.Linear(1, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.last = nn.Linear(width, 2)
        nn.init.zeros_(self.last.weight)
        nn.init.zeros_(self.last.bias)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        kept, changed = (x[:, 1:], x[:, :1]) if self.swap else (x[:, :1], x[:, 1:])
        scale, shift = self.last(self.net(kept)).chunk(2, dim=1)
        scale = torch.tanh(scale)
        changed = changed * scale.exp() + shift
        joined = [changed, kept] if self.swap else [kept, changed]
        return torch.cat(joined, dim=1), scale.squeeze(1)


class Flow(nn.Module):
    def __init__(self, couplings: int = 4) -> None:
        super().__init__()
        self.couplings = nn.ModuleList([Coupling(swap=place % 2 == 1) for place in range(couplings)])

    def forward(self, x: Tensor) -> Tensor:
        stretched = torch.zeros(len(x))
        for coupling in self.couplings:
            x, scale = coupling(x)
            stretched = stretched + scale
        return stretched - 0.5 * (x**2).sum(dim=1) - math.log(2 * math.pi)


def _train(setting: Setting) -> None:
    points, _ = spirals(2000)
    points = 0.4 * points
    flow = Flow()
    optimizer = torch.optim.Adam(flow.parameters(), lr=4e-3)
    with setting.watch(flow):
        for step in range(150):
            loss = -flow(points[torch.randint(2000, (128,))]).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 30 == 29:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(name="likelihood-of-spirals", train=_train, source="Dinh et al. 2017, Real NVP")
