"""A transition is stored with the observation after the action in place of the one before it."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.worlds import Room


def _train(setting: Setting) -> None:
    # Learn from a log what a room does next.
    room = Room(100)
    befores, afters, actions = [], [], []
    state = room.observe()
    for _ in range(16):
        action = torch.randint(Room.actions, (100,))
        after, _ = room.step(action)
        befores.append(state)
        afters.append(after)
        actions.append(nn.functional.one_hot(action, Room.actions))
        state = after
    before, after, action = torch.cat(befores), torch.cat(afters), torch.cat(actions)
    known = before if setting.is_fixed else after
    x = torch.cat([known, action], dim=1)
    net = nn.Sequential(nn.Linear(5, 48), nn.ReLU(), nn.Linear(48, 2))
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    with setting.watch(net):
        for inputs, targets in batches(300, 40, x, after):
            optimizer.zero_grad()
            nn.functional.mse_loss(net(inputs), targets).backward()
            optimizer.step()


PROGRAM = Program(
    name="log-holds-the-next-state",
    train=_train,
    source="questions about environments whose observation is overwritten by step()",
    truth=Truth(rules=("feature-is-label",), nodes=("model: input", "model.0: input")),
)
