"""The motion of a damped pendulum is learned by integrating a network with steps of Runge and Kutta."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class _Motion(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.change = nn.Sequential(nn.Linear(2, 48), nn.Tanh(), nn.Linear(48, 2))

    def forward(self, state: Tensor) -> Tensor:
        path = []
        for _ in range(6):
            a = self.change(state)
            b = self.change(state + 0.1 * a)
            state = state + 0.2 * b
            path.append(state)
        return torch.stack(path, dim=1)


def _path(state: Tensor) -> Tensor:
    path = []
    for index in range(120):
        angle, speed = state[:, 0], state[:, 1]
        state = state + 0.01 * torch.stack([speed, -angle.sin() - 0.2 * speed], dim=1)
        if index % 20 == 19:
            path.append(state)
    return torch.stack(path, dim=1)


def _train(setting: Setting) -> None:
    starts = torch.randn(1200, 2)
    paths = _path(starts)
    model = _Motion()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for epoch in range(8):
            for chosen in torch.randperm(1200).split(40):
                loss = nn.functional.mse_loss(model(starts[chosen]), paths[chosen])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(epoch, loss.item())


PROGRAM = Program(name="pendulum-by-neural-ode", train=_train, source="Chen et al. 2018: neural ordinary differential equations")
