"""Two critics learn in every step from the lower of their targets, and the actor in every second one after the 60th."""

from __future__ import annotations

import copy

import torch
from torch import Tensor, nn

from evaluation.environments import Point
from evaluation.program import Program, Setting


class Agent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(Point.features, 32), nn.ReLU(), nn.Linear(32, 1), nn.Tanh())
        self.critics = nn.ModuleList([nn.Sequential(nn.Linear(Point.features + 1, 48), nn.ReLU(), nn.Linear(48, 1)) for _ in range(2)])

    def act(self, state: Tensor) -> Tensor:
        return self.actor(state)

    def judge(self, state: Tensor, action: Tensor) -> list[Tensor]:
        return [critic(torch.cat([state, action], dim=1)) for critic in self.critics]


@torch.no_grad()
def follow(target: nn.Module, source: nn.Module, share: float) -> None:
    for slow, fast in zip(target.parameters(), source.parameters(), strict=True):
        slow.lerp_(fast, share)


def _train(setting: Setting) -> None:
    world, agent = Point(32), Agent()
    target = copy.deepcopy(agent).requires_grad_(False)
    critic_optimizer = torch.optim.Adam(agent.critics.parameters(), lr=5e-3)
    actor_optimizer = torch.optim.Adam(agent.actor.parameters(), lr=3e-3)
    states, actions, rewards, nexts = (torch.empty(0, size) for size in (2, 1, 1, 2))
    state = world.reset()
    with setting.watch(agent):
        for step in range(240):
            with torch.no_grad():
                action = (agent.act(state) + 0.3 * torch.randn(32, 1)).clamp(-1, 1)
            if step < 60:
                action = 2 * torch.rand(32, 1) - 1
            following, reward, is_over = world.step(action)
            states, actions, nexts = (torch.cat(pair) for pair in ((states, state), (actions, action), (nexts, following)))
            rewards = torch.cat([rewards, reward[:, None]])
            state = world.reset() if is_over else following
            rows = torch.randint(len(states), (64,))
            with torch.no_grad():
                noise = (0.2 * torch.randn(64, 1)).clamp(-0.5, 0.5)
                future = torch.minimum(*target.judge(nexts[rows], (target.act(nexts[rows]) + noise).clamp(-1, 1)))
                goal = rewards[rows] + 0.9 * future
            critic_loss = torch.stack([nn.functional.mse_loss(q, goal) for q in agent.judge(states[rows], actions[rows])]).sum()
            critic_optimizer.zero_grad()
            critic_loss.backward()
            critic_optimizer.step()
            if step % 2 and step >= 60:
                actor_loss = -agent.judge(states[rows], agent.act(states[rows]))[0].mean()
                actor_optimizer.zero_grad()
                actor_loss.backward()
                actor_optimizer.step()
                follow(target, agent, 0.02)
            if step % 40 == 39:
                print(f"{step}: critics {critic_loss.item():.3f}, reward {reward.mean().item():.3f}")


PROGRAM = Program(name="actor-waits-for-two-critics", train=_train, source="Fujimoto et al. 2018, TD3")
