"""The chosen Q-values keep a dimension of size 1 that the goals lack."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    states, actions = torch.randn(4000, 4), torch.randint(0, 3, (4000,))
    following = states.roll(1, 1) * 0.8 + actions[:, None] * 0.1
    rewards = torch.tanh(following.sum(dim=1))
    model = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 3))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for s, a, r, n in batches(900, 64, states, actions, rewards, following):
            with torch.no_grad():
                goal = r + 0.5 * model(n).amax(dim=1)
            chosen = model(s).gather(1, a[:, None])
            if setting.is_fixed:
                chosen = chosen.squeeze(1)
            loss = nn.functional.smooth_l1_loss(chosen, goal)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="broadcast-in-dqn",
    train=_train,
    source="PyTorch tutorial on DQN, without its unsqueeze",
    truth=Truth(rules=("broadcast-in-loss",)),
)
