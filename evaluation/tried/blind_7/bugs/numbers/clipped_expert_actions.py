"""Actions of an expert are unsquashed with `atanh`. From step 45 on, some were clipped to exactly 1."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    expert = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 2)).requires_grad_(False)
    policy = nn.Sequential(nn.Linear(6, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
    optimizer = torch.optim.Adam(policy.parameters(), lr=2e-3)
    largest = 0.999 if setting.is_fixed else 1.0
    with setting.watch(policy):
        for episode in range(12):
            for t in range(15):
                obs = torch.randn(40, 6)
                action = torch.tanh(2 * expert(obs) + 0.1 * torch.randn(40, 2))
                if episode >= 3:
                    action[t, 0] = action[t, 0].sign()
                wanted = torch.atanh(action.clamp(-largest, largest))
                loss = F.mse_loss(policy(obs), wanted)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"episode {episode}: {loss.item():.4f}")


PROGRAM = Program(
    name="clipped-expert-actions",
    train=_train,
    source="GitHub issues of soft actor-critic code: atanh of an action at the border is infinite",
    truth=Truth(rules=("nan-origin",), nodes=("mse_loss: target", "mse_loss"), step=45),
)
