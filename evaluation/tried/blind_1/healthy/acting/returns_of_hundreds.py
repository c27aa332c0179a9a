"""A value network predicts discounted returns of hundreds, which are scaled with running statistics."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.environments import Point
from evaluation.program import Program, Setting


class Value(nn.Module):
    mean: Tensor
    scale: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(2, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 1))
        self.register_buffer("mean", torch.zeros(()))
        self.register_buffer("scale", torch.ones(()))

    def forward(self, states: Tensor) -> Tensor:
        return self.body(states).squeeze(1)


def _train(setting: Setting) -> None:
    point = Point(32)
    value = Value()
    optimizer = torch.optim.Adam(value.parameters(), lr=2e-3)
    with setting.watch(value):
        for episode in range(60):
            states, rewards = [point.reset()], []
            is_over = False
            while not is_over:
                state, reward, is_over = point.step(-states[-1][:, :1] + 0.3 * torch.randn(32, 1))
                states.append(state)
                rewards.append(100 * reward)
            returns = [torch.zeros(32)]
            for reward in reversed(rewards):
                returns.insert(0, reward + 0.95 * returns[0])
            seen, goals = torch.cat(states[:-1]), torch.cat(returns[:-1])
            share = 1 / (episode + 1)
            value.mean.lerp_(goals.mean(), share)
            value.scale.lerp_(goals.std(), share)
            for index in torch.randperm(len(seen)).split(64):
                goal = (goals[index] - value.mean) / value.scale
                loss = nn.functional.smooth_l1_loss(value(seen[index]), goal)
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(value.parameters(), 0.5)
                optimizer.step()


PROGRAM = Program(name="returns-of-hundreds", train=_train, source="van Hasselt et al. 2016, Pop-Art; common in PPO implementations")
