"""A network becomes the solution of a damped oscillator: its second derivative in its input is part of the loss."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class Motion(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))

    def forward(self, time: Tensor) -> Tensor:
        return self.layers(time)


def derivative(value: Tensor, time: Tensor) -> Tensor:
    return torch.autograd.grad(value.sum(), time, create_graph=True)[0]


def _train(setting: Setting) -> None:
    model = Motion()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.995)
    with setting.watch(model):
        for step in range(280):
            time = torch.cat([torch.zeros(1, 1), 3 * torch.rand(63, 1)]).requires_grad_()
            place = model(time)
            speed = derivative(place, time)
            residual = derivative(speed, time) + 0.4 * speed + 2.0 * place
            loss = residual.square().mean() + 10 * (place[0] - 1).square().sum() + 10 * speed[0].square().sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            if step % 56 == 55:
                print(f"{step}: {loss.item():.4f}")


PROGRAM = Program(name="solution-of-an-oscillator", train=_train, source="Raissi et al. 2019, physics-informed neural networks")
