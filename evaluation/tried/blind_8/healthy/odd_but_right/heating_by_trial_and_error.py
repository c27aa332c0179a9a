"""REINFORCE in rooms to heat, with a baseline and an entropy bonus. The loss says nothing of success."""

from __future__ import annotations

import torch
from torch import nn
from torch.distributions import Categorical

from evaluation.program import Program, Setting
from evaluation.worlds import Room


def _train(setting: Setting) -> None:
    policy = nn.Sequential(nn.Linear(Room.features, 32), nn.Tanh(), nn.Linear(32, Room.actions))
    optimizer = torch.optim.Adam(policy.parameters(), lr=8e-3)
    baseline = torch.zeros(16)
    with setting.watch(policy):
        for _ in range(100):
            room = Room(32)
            states, actions, rewards = [], [], []
            state = room.observe()
            for _ in range(16):
                with torch.no_grad():
                    action = Categorical(logits=policy(state)).sample()
                states.append(state)
                actions.append(action)
                state, reward = room.step(action)
                rewards.append(reward)
            returns = torch.stack(rewards).flip(0).cumsum(0).flip(0)
            baseline = returns.mean(dim=1) if not baseline.any() else 0.8 * baseline + 0.2 * returns.mean(dim=1)
            advantages = returns - baseline[:, None]
            chosen = Categorical(logits=policy(torch.stack(states)))
            loss = -(chosen.log_prob(torch.stack(actions)) * advantages / advantages.std()).mean() - 0.01 * chosen.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="heating-by-trial-and-error", train=_train, source="Williams 1992; Sutton and Barto 2018, chapter 13")
