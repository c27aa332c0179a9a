"""The value of a fixed policy is learned from returns that mix all horizons, with a cosine schedule for the rate."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting
from evaluation.worlds import Room


def _train(setting: Setting) -> None:
    value = nn.Sequential(nn.Linear(Room.features, 48), nn.Tanh(), nn.Linear(48, 1), nn.Flatten(0))
    optimizer = torch.optim.Adam(value.parameters(), lr=5e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=200, eta_min=1e-4)
    with setting.watch(value):
        for _ in range(200):
            room = Room(16)
            states, rewards = [room.observe()], []
            for _ in range(10):
                cools = states[-1][:, 0] > 0
                state, reward = room.step(torch.where(cools, 0, 2))
                states.append(state)
                rewards.append(reward)
            guesses = value(torch.cat(states)).view(11, 16)
            targets, later = [], guesses[10].detach()
            for step in reversed(range(10)):
                later = rewards[step] + 0.9 * (0.8 * later + 0.2 * guesses[step + 1].detach())
                targets.append(later)
            loss = nn.functional.mse_loss(guesses[:10], torch.stack(targets[::-1]))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step()


PROGRAM = Program(name="values-by-traces", train=_train, source="Sutton and Barto, TD(lambda)")
