"""An actor and a critic in one module, each with an optimizer of its own."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.program import Program, Setting


class Agent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 3))
        self.critic = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 1))

    def forward(self, state: Tensor) -> tuple[Tensor, Tensor]:
        return self.actor(state), self.critic(state).squeeze(1)


def _train(setting: Setting) -> None:
    taste = torch.randn(6, 3)
    agent = Agent()
    actor_optimizer = torch.optim.Adam(agent.actor.parameters(), lr=4e-3)
    critic_optimizer = torch.optim.Adam(agent.critic.parameters(), lr=8e-3)
    with setting.watch(agent):
        for _ in range(200):
            state = torch.randn(64, 6)
            logits, value = agent(state)
            policy = torch.distributions.Categorical(logits=logits)
            action = policy.sample()
            reward = torch.tanh((state @ taste)[torch.arange(64), action] / 2) + 0.2 * torch.randn(64)
            critic_loss = F.smooth_l1_loss(value, reward)
            actor_loss = -(policy.log_prob(action) * (reward - value.detach())).mean() - 0.01 * policy.entropy().mean()
            critic_optimizer.zero_grad()
            critic_loss.backward()
            critic_optimizer.step()
            actor_optimizer.zero_grad()
            actor_loss.backward()
            actor_optimizer.step()
    print(f"reward {reward.mean():.2f}")


PROGRAM = Program(name="two-optimizers-for-one-agent", train=_train, source="Konda and Tsitsiklis 2000")
