"""A policy with a learned baseline steers a point to the middle of a line, by gradients of its returns."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class _Pilot(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(2, 32), nn.Tanh())
        self.action = nn.Linear(32, 3)
        self.value = nn.Linear(32, 1)

    def forward(self, state: Tensor) -> tuple[Tensor, Tensor]:
        code = self.body(state)
        return self.action(code), self.value(code)[..., 0]


def _train(setting: Setting) -> None:
    pilot = _Pilot()
    optimizer = torch.optim.Adam(pilot.parameters(), lr=4e-3)
    with setting.watch(pilot):
        for episode in range(200):
            place, speed = 2 * torch.rand(64) - 1, torch.zeros(64)
            states, actions, rewards = [], [], []
            for _ in range(12):
                state = torch.stack([place, speed], dim=1)
                with torch.no_grad():
                    action = torch.distributions.Categorical(logits=pilot.action(pilot.body(state))).sample()
                speed = 0.7 * speed + 0.2 * (action - 1)
                place = (place + speed).clamp(-2, 2)
                states.append(state)
                actions.append(action)
                rewards.append(-place.abs())
            returns = torch.stack(rewards).flip(0)
            for index in range(1, 12):
                returns[index] += 0.9 * returns[index - 1]
            returns = returns.flip(0) / 3
            logits, values = pilot(torch.stack(states))
            chosen = torch.distributions.Categorical(logits=logits)
            advantage = (returns - values).detach()
            loss = -(chosen.log_prob(torch.stack(actions)) * advantage).mean() + 0.5 * nn.functional.mse_loss(values, returns)
            loss = loss - 0.01 * chosen.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if episode % 25 == 24:
                print(episode, torch.stack(rewards).sum(0).mean().item())


PROGRAM = Program(name="lander-by-policy-gradient", train=_train, source="Sutton and Barto 2018: REINFORCE with a baseline")
