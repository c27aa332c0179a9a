"""A network learns the equation of a pendulum by integrating it over ten steps."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting
from evaluation.worlds import pendulums


class Motion(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.force = nn.Sequential(nn.Linear(2, 48), nn.Tanh(), nn.Linear(48, 2))

    def forward(self, start: Tensor, steps: int) -> Tensor:
        states = [start]
        for _ in range(steps):
            middle = states[-1] + 0.15 * self.force(states[-1])
            states.append(states[-1] + 0.3 * self.force(middle))
        return torch.stack(states[1:], dim=1)


def _train(setting: Setting) -> None:
    seen = pendulums(800, 11)
    model = Motion()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for (states,) in batches(150, 32, seen):
            loss = nn.functional.mse_loss(model(states[:, 0], 10), states[:, 1:])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="movement-over-many-steps", train=_train, source="Chen et al. 2018 (neural ODE)")
