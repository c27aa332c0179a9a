"""Behaviour cloning with DAgger: the learner acts, an expert says what would have been right, and all of it is learned."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.worlds import Room


def expert(state: Tensor) -> Tensor:
    wanted = -0.95 * state[:, 0] - 0.2 * state[:, 1]
    return (wanted / 0.5).round().clamp(-1, 1).long() + 1


def _train(setting: Setting) -> None:
    policy = nn.Sequential(nn.Linear(Room.features, 48), nn.Tanh(), nn.Linear(48, Room.actions))
    optimizer = torch.optim.Adam(policy.parameters(), lr=5e-3)
    states, actions = torch.empty(0, Room.features), torch.empty(0, dtype=torch.long)
    with setting.watch(policy):
        for turn in range(10):
            room = Room(40)
            for _ in range(8):
                state = room.observe()
                states, actions = torch.cat([states, state]), torch.cat([actions, expert(state)])
                with torch.no_grad():
                    room.step(expert(state) if turn == 0 else policy(state).argmax(dim=1))
            for _ in range(25):
                chosen = torch.randint(len(states), (40,))
                loss = nn.functional.cross_entropy(policy(states[chosen]), actions[chosen])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


PROGRAM = Program(name="imitated-thermostat", train=_train, source="Ross et al. 2011 (DAgger)")
