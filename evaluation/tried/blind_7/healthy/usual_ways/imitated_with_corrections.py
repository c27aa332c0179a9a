"""A driver imitates an expert, drives, and learns from the expert's answers to where it went (DAgger)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.environments import Point
from evaluation.program import Program, Setting


def expert(state: Tensor) -> Tensor:
    return (-1.5 * state[:, :1] - 2.0 * state[:, 1:]).clamp(-1, 1)


def _train(setting: Setting) -> None:
    world = Point(20)
    driver = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(driver.parameters(), lr=5e-3)
    seen: list[Tensor] = []
    with setting.watch(driver):
        for journey in range(8):
            state, is_over = world.reset(), False
            while not is_over:
                seen.append(state)
                with torch.no_grad():
                    action = expert(state) if journey == 0 else driver(state)
                state, _, is_over = world.step(action)
            states = torch.cat(seen)
            for chosen in torch.randint(len(states), (25, 32)):
                loss = nn.functional.mse_loss(driver(states[chosen]), expert(states[chosen]))
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(journey, loss.item())


PROGRAM = Program(name="imitated-with-corrections", train=_train, source="Ross et al. 2011")
