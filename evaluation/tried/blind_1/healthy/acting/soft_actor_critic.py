"""Soft actor-critic with discrete actions: two critics, slow copies of them, a learned temperature, and three optimizers."""

from __future__ import annotations

from copy import deepcopy

import torch
from torch import nn

from evaluation.environments import Grid
from evaluation.program import Program, Setting


def _network(outputs: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(4, 48), nn.ReLU(), nn.Linear(48, outputs))


class Agent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.actor = _network(4)
        self.critics = nn.ModuleList([_network(4), _network(4)])
        self.slow = deepcopy(self.critics).requires_grad_(False)
        self.log_alpha = nn.Parameter(torch.tensor(-2.0))


def _train(setting: Setting) -> None:
    grid = Grid(32)
    agent = Agent()
    actor_optimizer = torch.optim.Adam(agent.actor.parameters(), lr=1e-3)
    critic_optimizer = torch.optim.Adam(agent.critics.parameters(), lr=2e-3)
    alpha_optimizer = torch.optim.Adam([agent.log_alpha], lr=2e-3)
    wanted = 0.4
    with setting.watch(agent):
        state = grid.reset()
        for _ in range(350):
            with torch.no_grad():
                action = torch.distributions.Categorical(logits=agent.actor(state)).sample()
                following, reward, is_over = grid.step(action)
                log_policy = torch.log_softmax(agent.actor(following), dim=1)
                value = torch.minimum(agent.slow[0](following), agent.slow[1](following)) - agent.log_alpha.exp() * log_policy
                goal = reward + 0.95 * (log_policy.exp() * value).sum(dim=1) * ~is_over
            chosen = action[:, None]
            errors = [nn.functional.mse_loss(critic(state).gather(1, chosen).squeeze(1), goal) for critic in agent.critics]
            critic_loss = torch.stack(errors).sum()
            critic_optimizer.zero_grad()
            critic_loss.backward()
            critic_optimizer.step()

            log_policy = torch.log_softmax(agent.actor(state), dim=1)
            with torch.no_grad():
                value = torch.minimum(agent.critics[0](state), agent.critics[1](state))
            actor_loss = (log_policy.exp() * (agent.log_alpha.exp().detach() * log_policy - value)).sum(dim=1).mean()
            actor_optimizer.zero_grad()
            actor_loss.backward()
            actor_optimizer.step()

            entropy = -(log_policy.exp() * log_policy).sum(dim=1).mean().detach()
            alpha_loss = agent.log_alpha.exp() * (entropy - wanted)
            alpha_optimizer.zero_grad()
            alpha_loss.backward()
            alpha_optimizer.step()
            with torch.no_grad():
                for slow, fast in zip(agent.slow.parameters(), agent.critics.parameters(), strict=True):
                    slow.lerp_(fast, 0.02)
            state = following


PROGRAM = Program(name="soft-actor-critic", train=_train, source="Haarnoja et al. 2018, Christodoulou 2019")
