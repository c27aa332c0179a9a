"""Actor and critic have an optimizer each. The line with the step of the actor's was lost."""

from __future__ import annotations

import torch
from torch import nn
from torch.distributions import Normal

from evaluation.program import Program, Setting, Truth


def network(outputs: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(5, 32), nn.Tanh(), nn.Linear(32, outputs))


def _train(setting: Setting) -> None:
    # Choose how much to heat, once a day: the less the room is from its wanted temperature then, the better.
    needed = torch.randn(5, 1) / 2
    agent = nn.ModuleDict({"actor": network(1), "critic": network(1)})
    actor_optimizer = torch.optim.Adam(agent["actor"].parameters(), lr=5e-3)
    critic_optimizer = torch.optim.Adam(agent["critic"].parameters(), lr=5e-3)
    stepping = [critic_optimizer, actor_optimizer] if setting.is_fixed else [critic_optimizer]
    with setting.watch(agent):
        for day in range(300):
            weather = torch.randn(64, 5)
            distribution = Normal(agent["actor"](weather), 0.4)
            heat = distribution.sample()
            reward = -((heat - weather @ needed) ** 2)
            value = agent["critic"](weather)
            advantage = (reward - value).detach()
            critic_loss = nn.functional.mse_loss(value, reward)
            actor_loss = -(distribution.log_prob(heat) * advantage).mean()
            actor_optimizer.zero_grad()
            critic_optimizer.zero_grad()
            (critic_loss + actor_loss).backward()
            for optimizer in stepping:
                optimizer.step()
            if day % 50 == 49:
                print(f"day {day + 1}: reward {reward.mean():.3f}")


PROGRAM = Program(
    name="actor-never-steps",
    train=_train,
    source="Islam et al. 2019 and TrainCheck: a missing call of an API",
    truth=Truth(
        rules=("never-updated", "optimizer-never-steps", "not-in-optimizer"),
        nodes=("model.actor", *(f"model.actor.{i}{part}" for i in (0, 2) for part in ("", ".weight", ".bias"))),
    ),
)
