"""An advertiser learns from the rewards of its own choices; its loss says nothing of progress, and its rewards are noisy."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    taste = torch.randn(8, 5)
    policy = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 5))
    optimizer = torch.optim.Adam(policy.parameters(), lr=5e-3)
    baseline = torch.zeros(())
    with setting.watch(policy):
        for step in range(800):
            visitors = torch.randn(64, 8)
            choice = torch.distributions.Categorical(logits=policy(visitors))
            shown = choice.sample()
            wanted = (visitors @ taste).gather(1, shown[:, None]).squeeze(1)
            reward = (wanted + torch.randn(64) > 0).float()
            loss = -(choice.log_prob(shown) * (reward - baseline)).mean() - 0.01 * choice.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            baseline = 0.95 * baseline + 0.05 * reward.mean()
            if step % 100 == 99:
                print(f"{step}: {baseline:.2f}")


PROGRAM = Program(name="contextual-bandit", train=_train, source="Williams 1992; Dudik et al. 2011")
