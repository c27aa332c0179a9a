"""A critic with entropy: the value of a move contains how surprising the next move is."""

from __future__ import annotations

import copy

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class Critic(nn.Module):
    def __init__(self, features: int, actions: int) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(features + actions, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, state: Tensor, action: Tensor) -> Tensor:
        return self.net(torch.cat([state, action], dim=1))


def _train(setting: Setting) -> None:
    matrix = torch.randn(6, 4) / 2
    critic = Critic(6, 4)
    target = copy.deepcopy(critic)
    optimizer = torch.optim.Adam(critic.parameters(), lr=3e-3)
    with setting.watch(critic):
        for step in range(200):
            state, action = torch.randn(64, 6), torch.randn(64, 4).clamp(-1, 1)
            reward = -((action - torch.tanh(state @ matrix)) ** 2).sum(dim=1, keepdim=True)
            with torch.no_grad():
                next_state = 0.8 * state + 0.2 * torch.randn(64, 6)
                policy = torch.distributions.Normal(torch.tanh(next_state @ matrix), 0.3)
                next_action = policy.sample()
                log_prob = policy.log_prob(next_action)
                if setting.is_fixed:
                    log_prob = log_prob.sum(dim=1, keepdim=True)
                td_target = reward + 0.8 * (target(next_state, next_action) - 0.2 * log_prob)
            critic_loss = (critic(state, action) - td_target).pow(2).mean()
            optimizer.zero_grad()
            critic_loss.backward()
            optimizer.step()
            for slow, fast in zip(target.parameters(), critic.parameters(), strict=True):
                slow.data.lerp_(fast.data, 0.05)
            if step % 50 == 49:
                print(f"{step}: {critic_loss.item():.4f}")


PROGRAM = Program(
    name="walker-by-a-soft-critic",
    train=_train,
    source="https://github.com/sunwuzhou03/reinforcement-learning-lab/issues/1",
    truth=Truth(
        rules=("broadcast-in-loss",),
        nodes=("sub", "pow", "mean", "model: output", "model.net", "model.net.4"),
    ),
)
