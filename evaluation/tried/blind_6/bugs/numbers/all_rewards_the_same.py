"""Advantages are divided by the deviation of the rewards. In one batch all rewards are equal, and the deviation is zero."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth

EQUAL = 48


def _train(setting: Setting) -> None:
    model = nn.Sequential(nn.Linear(5, 32), nn.Tanh(), nn.Linear(32, 3))
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for step in range(140):
            state = torch.randn(96, 5)
            log_policy = model(state).log_softmax(dim=1)
            # Gumbel noise samples an action.
            action = (log_policy - torch.empty(96, 3).exponential_().log()).argmax(dim=1)
            best = state[:, :3].argmax(dim=1)
            reward = (action == best).float() + 0.1 * torch.randn(96)
            if step == EQUAL:
                # The simulator was restarted and returned nothing but its default.
                reward = torch.zeros(96)
            deviation = reward.std() + (1e-6 if setting.is_fixed else 0.0)
            advantage = (reward - reward.mean()) / deviation
            loss = -(log_policy[torch.arange(96), action] * advantage).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"reward {reward.mean():.2f}")


PROGRAM = Program(
    name="all-rewards-the-same",
    train=_train,
    source="GitHub issues of PPO code, normalized advantages without an epsilon",
    truth=Truth(
        rules=("nan-origin",),
        nodes=(
            "mul",
            "mean",
            "neg",
        ),
        step=EQUAL,
    ),
)
