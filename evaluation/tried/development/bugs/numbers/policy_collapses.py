"""A policy gradient with a learning rate of 1: the policy is certain of one action after a few steps."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    states = torch.randn(4000, 6)
    best = (states @ torch.randn(6, 4)).argmax(dim=1)
    policy = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 4), nn.Softmax(dim=1))
    optimizer = torch.optim.Adam(policy.parameters(), lr=0.01 if setting.is_fixed else 1.0)
    with setting.watch(policy):
        for s, b in batches(900, 64, states, best):
            probabilities = policy(s)
            actions = torch.multinomial(probabilities.detach(), 1).squeeze(1)
            rewards = (actions == b).float()
            chosen = probabilities.gather(1, actions[:, None]).squeeze(1).clamp(min=1e-8)
            loss = -((rewards - rewards.mean()) * torch.log(chosen)).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="policy-collapses",
    train=_train,
    source="reinforcement learning with a high learning rate",
    truth=Truth(rules=("updates-too-large", "attention-collapse", "saturated-units")),
)
