"""Continuous control: a critic, a deterministic actor, and slowly moving copies of both."""

from __future__ import annotations

import copy

import torch
from torch import Tensor, nn

from evaluation.environments import Point
from evaluation.program import Program, Setting


class _Actor(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 1), nn.Tanh())

    def forward(self, state: Tensor) -> Tensor:
        return self.net(state)


class _Critic(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 1))

    def forward(self, state: Tensor, action: Tensor) -> Tensor:
        return self.net(torch.cat([state, action], dim=1))


@torch.no_grad()
def _follow(target: nn.Module, network: nn.Module, share: float = 0.02) -> None:
    for old, new in zip(target.parameters(), network.parameters(), strict=True):
        old.lerp_(new, share)


def _train(setting: Setting) -> None:
    world = Point(16)
    actor, critic = _Actor(), _Critic()
    actor_target, critic_target = copy.deepcopy(actor), copy.deepcopy(critic)
    optimizer_a = torch.optim.Adam(actor.parameters(), lr=5e-4)
    optimizer_c = torch.optim.Adam(critic.parameters(), lr=1e-3)
    memory: list[tuple[Tensor, Tensor, Tensor, Tensor]] = []
    gamma = 0.9
    rewards_seen = []
    with setting.watch(critic):
        state = world.reset()
        for _ in range(700):
            with torch.no_grad():
                action = (actor(state) + 0.2 * torch.randn(16, 1)).clamp(-1, 1)
            after, rewards, is_over = world.step(action)
            memory.append((state, action, rewards[:, None], after))
            rewards_seen.append(rewards.mean().item())
            state = world.reset() if is_over else after
            if len(memory) < 20:
                continue

            chosen = [memory[i] for i in torch.randint(len(memory), (4,)).tolist()]
            states, actions, gained, following = (torch.cat(column) for column in zip(*chosen, strict=True))
            with torch.no_grad():
                wanted = gained + gamma * critic_target(following, actor_target(following))
            critic_loss = nn.functional.mse_loss(critic(states, actions), wanted)
            optimizer_c.zero_grad()
            critic_loss.backward()
            optimizer_c.step()

            actor_loss = -critic(states, actor(states)).mean()
            optimizer_a.zero_grad()
            actor_loss.backward()
            optimizer_a.step()
            _follow(critic_target, critic)
            _follow(actor_target, actor)


PROGRAM = Program(name="ddpg", train=_train, source="Lillicrap et al. 2016")
