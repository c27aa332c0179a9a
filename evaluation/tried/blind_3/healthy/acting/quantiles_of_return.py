"""Distributional Q-learning: a network predicts eleven quantiles of the return, and a slow copy of it makes the targets."""

from __future__ import annotations

from copy import deepcopy

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.worlds import Room

QUANTILES = 11


class Values(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(Room.features, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, Room.actions * QUANTILES)
        )

    def forward(self, state: Tensor) -> Tensor:
        return self.layers(state).unflatten(1, (Room.actions, QUANTILES))


def _train(setting: Setting) -> None:
    online = Values()
    target = deepcopy(online).requires_grad_(False)
    optimizer = torch.optim.Adam(online.parameters(), lr=1e-3)
    shares = (torch.arange(QUANTILES) + 0.5) / QUANTILES
    with setting.watch(online):
        for step in range(300):
            if step % 16 == 0:
                room = Room(48)
            state = room.observe()
            with torch.no_grad():
                greedy = online(state).mean(dim=2).argmax(dim=1)
            action = torch.where(torch.rand(48) < 0.2, torch.randint(Room.actions, (48,)), greedy)
            after, reward = room.step(action)
            rows = torch.arange(48)
            with torch.no_grad():
                best = online(after).mean(dim=2).argmax(dim=1)
                wanted = reward[:, None] + 0.8 * target(after)[rows, best]
            difference = wanted[:, None] - online(state)[rows, action][:, :, None]
            weight = (shares[:, None] - (difference < 0).float()).abs()
            huber = torch.where(difference.abs() < 1, 0.5 * difference.square(), difference.abs() - 0.5)
            loss = (weight * huber).mean(dim=2).sum(dim=1).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            with torch.no_grad():
                for slow, fast in zip(target.parameters(), online.parameters(), strict=True):
                    slow.lerp_(fast, 0.02)


PROGRAM = Program(name="quantiles-of-return", train=_train, source="Dabney et al. 2018 (quantile regression DQN)")
