"""A policy learns from rewards alone, with a bonus for doubt. Its loss says nothing, and its reward rises."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    gain = torch.randn(6, 5)
    policy = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 5))
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
    baseline = torch.zeros(())
    with setting.watch(policy):
        for step in range(200):
            room = torch.randint(0, 6, (96,))
            choice = torch.distributions.Categorical(logits=policy(torch.eye(6)[room]))
            arm = choice.sample()
            reward = gain[room, arm] + 0.3 * torch.randn(96)
            loss = -(choice.log_prob(arm) * (reward - baseline)).mean() - 0.01 * choice.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            baseline = 0.9 * baseline + 0.1 * reward.mean()
            if step % 40 == 39:
                print(f"{step}: reward {reward.mean().item():.3f} of at most {gain.max(dim=1).values.mean().item():.3f}")


PROGRAM = Program(name="arms-chosen-by-their-gain", train=_train, source="Williams 1992, REINFORCE with a baseline")
