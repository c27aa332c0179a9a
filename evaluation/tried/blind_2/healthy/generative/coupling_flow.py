"""A normalizing flow of coupling layers learns the density of two moons; the last layers begin with zeros."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class Coupling(nn.Module):
    def __init__(self, first: int) -> None:
        super().__init__()
        self.first = first
        self.net = nn.Sequential(nn.Linear(1, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU())
        self.last = nn.Linear(32, 2)
        nn.init.zeros_(self.last.weight)
        nn.init.zeros_(self.last.bias)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        kept, changed = x[:, self.first : self.first + 1], x[:, 1 - self.first : 2 - self.first]
        scale, shift = self.last(self.net(kept)).chunk(2, dim=1)
        scale = torch.tanh(scale)
        changed = changed * scale.exp() + shift
        parts = [kept, changed] if self.first == 0 else [changed, kept]
        return torch.cat(parts, dim=1), scale.squeeze(1)


class Flow(nn.Module):
    def __init__(self, layers: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Coupling(i % 2) for i in range(layers))

    def log_likelihood(self, x: Tensor) -> Tensor:
        total = torch.zeros(len(x))
        for layer in self.layers:
            x, log_det = layer(x)
            total = total + log_det
        return total - 0.5 * x.square().sum(dim=1) - math.log(2 * math.pi)

    def forward(self, x: Tensor) -> Tensor:
        return -self.log_likelihood(x).mean()


def _train(setting: Setting) -> None:
    model = Flow(6)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for _ in range(300):
            t, upper = math.pi * torch.rand(100), torch.rand(100) < 0.5
            moons = torch.stack([torch.where(upper, t.cos(), 1 - t.cos()) - 0.5, torch.where(upper, t.sin(), 0.5 - t.sin()) - 0.25], dim=1)
            loss = model(moons + 0.08 * torch.randn(100, 2))
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 3.0)
            optimizer.step()


PROGRAM = Program(name="coupling-flow", train=_train, source="Dinh et al. 2017 (RealNVP)")
