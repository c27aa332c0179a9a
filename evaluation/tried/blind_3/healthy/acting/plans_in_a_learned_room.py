"""A policy is trained by gradients through a model of the room, which is learned at the same time by another optimizer."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from evaluation.program import Program, Setting
from evaluation.worlds import Room


class Agent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.world = nn.Sequential(nn.Linear(Room.features + Room.actions, 48), nn.ELU(), nn.Linear(48, Room.features))
        self.policy = nn.Sequential(nn.Linear(Room.features, 32), nn.ELU(), nn.Linear(32, Room.actions))


def _train(setting: Setting) -> None:
    agent = Agent()
    learning = torch.optim.Adam(agent.world.parameters(), lr=4e-3)
    planning = torch.optim.Adam(agent.policy.parameters(), lr=3e-3)
    with setting.watch(agent):
        for step in range(150):
            if step % 16 == 0:
                room = Room(64)
            state = room.observe()
            with torch.no_grad():
                action = torch.distributions.Categorical(logits=agent.policy(state)).sample()
            after, _ = room.step(action)
            taken = F.one_hot(action, Room.actions).float()
            model_loss = F.mse_loss(state + agent.world(torch.cat([state, taken], dim=1)), after)
            learning.zero_grad()
            model_loss.backward()
            learning.step()

            imagined = state
            costs = []
            for _ in range(4):
                choice = F.gumbel_softmax(agent.policy(imagined), tau=1.0)
                imagined = imagined + agent.world(torch.cat([imagined, choice], dim=1))
                costs.append(imagined[:, 0].square().mean())
            planning.zero_grad()
            sum(costs).backward()
            planning.step()


PROGRAM = Program(name="plans-in-a-learned-room", train=_train, source="Heess et al. 2015 (stochastic value gradients)")
