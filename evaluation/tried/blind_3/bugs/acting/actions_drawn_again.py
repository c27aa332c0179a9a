"""REINFORCE computes the probability of actions that it draws anew, instead of those that were rewarded."""

from __future__ import annotations

import torch
from torch import nn
from torch.distributions import Categorical

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import Room


def _train(setting: Setting) -> None:
    policy = nn.Sequential(nn.Linear(Room.features, 32), nn.Tanh(), nn.Linear(32, Room.actions))
    optimizer = torch.optim.Adam(policy.parameters(), lr=8e-3)
    with setting.watch(policy):
        for episode in range(150):
            room = Room(48)
            seen, taken, rewards = [], [], []
            state = room.observe()
            for _ in range(8):
                with torch.no_grad():
                    action = Categorical(logits=policy(state)).sample()
                seen.append(state)
                taken.append(action)
                state, reward = room.step(action)
                rewards.append(reward)
            advantage = torch.stack(rewards)
            advantage = (advantage - advantage.mean()) / advantage.std()
            choices = Categorical(logits=policy(torch.stack(seen)))
            actions = torch.stack(taken) if setting.is_fixed else choices.sample()
            loss = -(choices.log_prob(actions) * advantage).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if episode % 50 == 49:
                print(episode, torch.stack(rewards).mean().item())


PROGRAM = Program(
    name="actions-drawn-again",
    train=_train,
    source="Stack Overflow, policy gradient that samples in the update",
    truth=Truth(rules=("loss-does-not-fall", "predictions-ignore-input")),
)
