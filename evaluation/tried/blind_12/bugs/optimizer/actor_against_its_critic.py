"""The sign of the actor's loss is lost: it looks for the worst action of the critic instead of the best."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class Pair(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 1), nn.Tanh())
        self.critic = nn.Sequential(nn.Linear(4, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 1))

    def forward(self, state: Tensor, action: Tensor | None = None) -> Tensor:
        action = self.actor(state) if action is None else action
        return self.critic(torch.cat([state, action], dim=1))


def _train(setting: Setting) -> None:
    wish = torch.randn(3, 1)
    pair = Pair()
    actor_optimizer = torch.optim.Adam(pair.actor.parameters(), lr=2e-3)
    critic_optimizer = torch.optim.Adam(pair.critic.parameters(), lr=4e-3)
    with setting.watch(pair):
        for step in range(180):
            state = torch.randn(64, 3)
            action = (pair.actor(state).detach() + 0.4 * torch.randn(64, 1)).clamp(-1, 1)
            reward = -((action - 0.8 * torch.tanh(state @ wish)) ** 2)
            critic_loss = nn.functional.mse_loss(pair(state, action), reward)
            critic_optimizer.zero_grad()
            critic_loss.backward()
            critic_optimizer.step()
            q_values = pair(state)
            actor_loss = -q_values.mean() if setting.is_fixed else q_values.mean()
            actor_optimizer.zero_grad()
            actor_loss.backward()
            actor_optimizer.step()
            if step % 30 == 0:
                print(f"{step}: reward {reward.mean().item():.3f}, critic {critic_loss.item():.3f}")


PROGRAM = Program(
    name="actor-against-its-critic",
    train=_train,
    source="https://github.com/KanishJebaMathewM/Truxify/pull/11885",
    truth=Truth(rules=("maximized-loss", "saturated-units"), nodes=("mean", "model.critic", "model.actor", "model: output")),
)
