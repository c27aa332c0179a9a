"""An energy-based model: Langevin steps draw samples, whose energy is raised while that of data is lowered."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.worlds import spirals


def langevin(energy: nn.Module, points: Tensor, steps: int) -> Tensor:
    energy.requires_grad_(False)
    for _ in range(steps):
        points = points.detach().requires_grad_()
        (slope,) = torch.autograd.grad(energy(points).sum(), points)
        points = points - 0.02 * slope.clamp(-3, 3) + 0.1 * torch.randn_like(points)
    energy.requires_grad_(True)
    return points.detach()


def _train(setting: Setting) -> None:
    data, _ = spirals(1500)
    energy = nn.Sequential(nn.Linear(2, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 1))
    optimizer = torch.optim.Adam(energy.parameters(), lr=2e-3, betas=(0.0, 0.999))
    buffer = torch.randn(400, 2)
    with setting.watch(energy):
        for _ in range(150):
            chosen = torch.randint(400, (48,))
            start = torch.where(torch.rand(48, 1) < 0.05, torch.randn(48, 2), buffer[chosen])
            negative = langevin(energy, start, 6)
            buffer[chosen] = negative
            low, high = energy(data[torch.randint(1500, (48,))]), energy(negative)
            loss = low.mean() - high.mean() + 0.1 * (low.square() + high.square()).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="energy-of-points", train=_train, source="Du and Mordatch 2019 (energy-based models)")
