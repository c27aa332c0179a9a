"""The ratio of PPO is an exponential. From update 70 on, the old policy hardly ever took an action that the new one takes."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    best = torch.randn(5, 4)
    actor = nn.Sequential(nn.Linear(5, 32), nn.Tanh(), nn.Linear(32, 4))
    optimizer = torch.optim.Adam(actor.parameters(), lr=5e-3)
    limit = 5.0 if setting.is_fixed else float("inf")
    with setting.watch(actor):
        for update in range(140):
            states = torch.randn(64, 5)
            with torch.no_grad():
                old = torch.log_softmax(states @ best * 0.3, dim=1)
                actions = old.exp().multinomial(1)
                reward = (states @ best).gather(1, actions)
                old_logp = old.gather(1, actions)
                if update >= 70:
                    # Written down by a policy that was nearly deterministic.
                    old_logp[update % 64] = -140.0
                    reward[update % 64] = 5.0
                advantage = (reward - reward.mean()) / reward.std()
            new_logp = torch.log_softmax(actor(states), dim=1).gather(1, actions)
            ratio = torch.exp((new_logp - old_logp).clamp(-limit, limit))
            clipped = ratio.clamp(0.8, 1.2)
            loss = -torch.min(ratio * advantage, clipped * advantage).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="ratio-of-a-rare-action",
    train=_train,
    source="Stable-Baselines3 issues: the ratio of PPO becomes infinite",
    truth=Truth(rules=("nan-origin",), nodes=("exp", "clamp", "sub"), step=70),
)
