"""A network is the path of a spring: no path was measured, and the loss is how far the equation is from being fulfilled."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class Path(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))

    def forward(self, time: Tensor) -> Tensor:
        return 1 + time**2 * self.net(time)


def _train(setting: Setting) -> None:
    model = Path()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for step in range(200):
            time = (3 * torch.rand(64, 1)).requires_grad_()
            place = model(time)
            (speed,) = torch.autograd.grad(place.sum(), time, create_graph=True)
            (push,) = torch.autograd.grad(speed.sum(), time, create_graph=True)
            loss = (push + 0.2 * speed + 2 * place).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 40 == 39:
                print(f"{step}: {loss.item():.5f}")


PROGRAM = Program(name="spring-without-measurements", train=_train, source="Raissi et al. 2019, physics-informed networks")
