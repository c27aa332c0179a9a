"""PPO on a grid: several epochs over what was just played, with clipped ratios, a value head and a bonus for entropy."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.distributions import Categorical

from evaluation.environments import Grid
from evaluation.program import Program, Setting


class Agent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(Grid.features, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        self.policy = nn.Linear(64, Grid.actions)
        self.value = nn.Linear(64, 1)

    def forward(self, state: Tensor) -> tuple[Categorical, Tensor]:
        features = self.trunk(state)
        return Categorical(logits=self.policy(features)), self.value(features).squeeze(-1)


def _train(setting: Setting) -> None:
    agent = Agent()
    optimizer = torch.optim.Adam(agent.parameters(), lr=4e-3)
    env = Grid(32, size=4)
    state = env.reset()
    with setting.watch(agent):
        for update in range(40):
            rollout: list[tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]] = []
            for _ in range(12):
                with torch.no_grad():
                    policy, value = agent(state)
                action = policy.sample()
                following, reward, over = env.step(action)
                rollout.append((state, action, policy.log_prob(action), value, reward, over))
                state = following
            states, actions, old, values, rewards, overs = (torch.stack(part) for part in zip(*rollout, strict=True))
            with torch.no_grad():
                future = agent(state)[1]
            returns = torch.zeros_like(rewards)
            for t in reversed(range(12)):
                future = rewards[t] + 0.95 * future * (~overs[t])
                returns[t] = future
            advantage = returns - values
            advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
            for _ in range(4):
                policy, value = agent(states)
                ratio = (policy.log_prob(actions) - old).exp()
                surrogate = torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage).mean()
                loss = -surrogate + 0.5 * (value - returns).square().mean() - 0.01 * policy.entropy().mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                optimizer.step()
            if update % 5 == 4:
                print(f"{update + 1}: loss {loss.item():.3f}, reward {rewards.mean().item():.3f}")


PROGRAM = Program(name="walker-by-clipped-ratios", train=_train, source="Schulman et al. 2017, PPO")
