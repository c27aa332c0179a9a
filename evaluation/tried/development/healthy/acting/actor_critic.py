"""Advantage actor-critic: a trunk with a policy and a value, and a bonus for entropy."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.distributions import Categorical

from evaluation.environments import Grid
from evaluation.program import Program, Setting


class _ActorCritic(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        self.actor = nn.Linear(64, 4)
        self.critic = nn.Linear(64, 1)

    def forward(self, state: Tensor) -> tuple[Tensor, Tensor]:
        x = self.trunk(state)
        return self.actor(x), self.critic(x).squeeze(1)


def _train(setting: Setting) -> None:
    grid = Grid(16)
    model = _ActorCritic()
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3, alpha=0.99)
    gamma = 0.95
    rewards_seen = []
    with setting.watch(model):
        state = grid.reset()
        for _ in range(800):
            log_probs, values, rewards, overs, entropies = [], [], [], [], []
            for _ in range(5):
                logits, value = model(state)
                actions = Categorical(logits=logits)
                action = actions.sample()
                state, reward, is_over = grid.step(action)
                log_probs.append(actions.log_prob(action))
                entropies.append(actions.entropy())
                values.append(value)
                rewards.append(reward)
                overs.append(is_over.float())
            with torch.no_grad():
                total = model(state)[1]
            returns: list[Tensor] = []
            for reward, over in zip(reversed(rewards), reversed(overs), strict=True):
                total = reward + gamma * total * (1 - over)
                returns.insert(0, total)
            advantage = torch.stack(returns) - torch.stack(values)
            policy_loss = -(torch.stack(log_probs) * advantage.detach()).mean()
            loss = policy_loss + 0.5 * advantage.pow(2).mean() - 0.01 * torch.stack(entropies).mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            optimizer.step()
            rewards_seen.append(torch.stack(rewards).mean().item())


PROGRAM = Program(name="actor-critic", train=_train, source="Mnih et al. 2016 (A3C), in one process")
