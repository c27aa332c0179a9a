"""REINFORCE with a moving baseline: the loss is noisy around zero, and the reward rises."""

from __future__ import annotations

import torch
from torch import nn
from torch.distributions import Categorical

from evaluation.environments import Grid
from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    world = Grid(48, size=3)
    policy = nn.Sequential(nn.Linear(4, 48), nn.Tanh(), nn.Linear(48, 4))
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
    baseline, discount = 0.0, 0.9
    with setting.watch(policy):
        for update in range(160):
            state = world.reset()
            log_probabilities, rewards, ends = [], [], []
            for _ in range(8):
                choice = Categorical(logits=policy(state))
                action = choice.sample()
                log_probabilities.append(choice.log_prob(action))
                state, reward, is_over = world.step(action)
                rewards.append(reward)
                ends.append(is_over.float())
            future = torch.zeros(48)
            returns = []
            for reward, end in zip(rewards[::-1], ends[::-1], strict=True):
                future = reward + discount * future * (1 - end)
                returns.append(future)
            gains = torch.stack(returns[::-1])
            loss = -(torch.stack(log_probabilities) * (gains - baseline)).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            baseline = 0.9 * baseline + 0.1 * gains.mean().item()
            if update % 40 == 0:
                print(f"update {update}: loss {loss.item():.3f}, reward {torch.stack(rewards).mean().item():.3f}")
    print("reward", torch.stack(rewards).mean().item())


PROGRAM = Program(name="policy-gradient-on-a-grid", train=_train, source="Williams 1992 (REINFORCE)")
