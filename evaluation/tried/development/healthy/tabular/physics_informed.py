"""Solves a damped oscillator from its equation alone: the loss holds second derivatives of the network."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


def _derivative(y: Tensor, x: Tensor) -> Tensor:
    return torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)[0]


def _train(setting: Setting) -> None:
    model = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    start = torch.zeros(1, 1, requires_grad=True)
    with setting.watch(model):
        for _ in range(800):
            t = (2 * torch.rand(64, 1)).requires_grad_()
            y = model(t)
            velocity = _derivative(y, t)
            residual = _derivative(velocity, t) + 0.5 * velocity + 9 * y
            begin = model(start)
            loss = 0.05 * (residual**2).mean() + ((begin - 1) ** 2).sum() + (_derivative(begin, start) ** 2).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="physics-informed", train=_train, source="Raissi et al. 2019")
