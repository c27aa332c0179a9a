"""A normalizing flow of affine couplings learns the density of points. Its loss is a negative log likelihood, which may be negative."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


def moons(count: int) -> Tensor:
    angle = math.pi * torch.rand(count)
    side = torch.randint(2, (count,)).float() * 2 - 1
    points = torch.stack([angle.cos() + 0.5 * side - 0.5, side * angle.sin() * 0.8], dim=1)
    return 0.25 * (points + 0.06 * torch.randn(count, 2))


class Coupling(nn.Module):
    def __init__(self, first: int, width: int = 48) -> None:
        super().__init__()
        self.first = first
        self.net = nn.Sequential(nn.Linear(1, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 2))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        kept, changed = x[:, self.first : self.first + 1], x[:, 1 - self.first : 2 - self.first]
        log_scale, shift = self.net(kept).chunk(2, dim=1)
        log_scale = 2 * torch.tanh(log_scale)
        moved = changed * log_scale.exp() + shift
        parts = [kept, moved] if self.first == 0 else [moved, kept]
        return torch.cat(parts, dim=1), log_scale.squeeze(1)


class Flow(nn.Module):
    def __init__(self, layers: int = 6) -> None:
        super().__init__()
        self.couplings = nn.ModuleList(Coupling(layer % 2) for layer in range(layers))

    def forward(self, x: Tensor) -> Tensor:
        log_det = torch.zeros(len(x))
        for coupling in self.couplings:
            x, change = coupling(x)
            log_det = log_det + change
        return -0.5 * x.square().sum(dim=1) - math.log(2 * math.pi) + log_det


def _train(setting: Setting) -> None:
    points = moons(3000)
    flow = Flow()
    optimizer = torch.optim.Adam(flow.parameters(), lr=3e-3)
    with setting.watch(flow):
        for step in range(220):
            loss = -flow(points[torch.randint(3000, (128,))]).mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(flow.parameters(), 5.0)
            optimizer.step()
            if step % 20 == 19:
                print(f"{step + 1}: {loss.item():.4f}")


PROGRAM = Program(name="density-by-a-flow", train=_train, source="Dinh et al. 2017, Real NVP")
