"""A physics-informed network solves the heat equation in one dimension, with three losses."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


def derivative(y: Tensor, x: Tensor) -> Tensor:
    return torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)[0]


def _train(setting: Setting) -> None:
    model = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    diffusivity = 0.1
    with setting.watch(model):
        for step in range(350):
            x = torch.rand(80, 1, requires_grad=True)
            t = torch.rand(80, 1, requires_grad=True)
            u = model(torch.cat([x, t], dim=1))
            residual = derivative(u, t) - diffusivity * derivative(derivative(u, x), x)
            start = torch.rand(40, 1)
            first = model(torch.cat([start, torch.zeros(40, 1)], dim=1))
            side = torch.randint(2, (40, 1)).float()
            walls = model(torch.cat([side, torch.rand(40, 1)], dim=1))
            loss = residual.square().mean() + 5 * (first - torch.sin(math.pi * start)).square().mean() + walls.square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 70 == 0:
                print(f"{step}: {loss.item():.5f}")
    with torch.no_grad():
        middle = model(torch.tensor([[0.5, 0.5]])).item()
    print("in the middle", middle, "should be", math.exp(-diffusivity * math.pi**2 * 0.5))


PROGRAM = Program(name="heat-equation", train=_train, source="Raissi et al. 2019 (physics-informed networks)")
