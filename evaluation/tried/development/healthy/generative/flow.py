"""A normalizing flow of affine couplings learns the density of two moons; the loss may well be negative."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class _Coupling(nn.Module):
    def __init__(self, is_flipped: bool, width: int = 48) -> None:
        super().__init__()
        self.is_flipped = is_flipped
        self.net = nn.Sequential(nn.Linear(1, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 2))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        kept, changed = x.chunk(2, dim=1)
        if self.is_flipped:
            kept, changed = changed, kept
        log_scale, shift = self.net(kept).chunk(2, dim=1)
        log_scale = torch.tanh(log_scale)
        changed = changed * log_scale.exp() + shift
        parts = [changed, kept] if self.is_flipped else [kept, changed]
        return torch.cat(parts, dim=1), log_scale.sum(1)


class _Flow(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.couplings = nn.ModuleList(_Coupling(bool(number % 2)) for number in range(6))

    def forward(self, x: Tensor) -> Tensor:
        log_det = torch.zeros(len(x))
        for coupling in self.couplings:
            x, change = coupling(x)
            log_det = log_det + change
        return -0.5 * (x**2).sum(1) - math.log(2 * math.pi) + log_det


def _train(setting: Setting) -> None:
    angle = torch.pi * torch.rand(4000)
    is_upper = torch.rand(4000) < 0.5
    x = torch.where(is_upper, angle.cos(), 1 - angle.cos()) - 0.5
    y = torch.where(is_upper, angle.sin(), 0.5 - angle.sin()) - 0.25
    data = torch.stack([x, y], dim=1) + 0.05 * torch.randn(4000, 2)
    model = _Flow()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for _ in range(700):
            loss = -model(data[torch.randint(4000, (128,))]).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="flow", train=_train, source="Dinh et al. 2017 (Real NVP)")
