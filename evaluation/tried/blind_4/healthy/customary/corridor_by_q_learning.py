"""A walker learns by deep Q-learning, with a replay buffer and a target network, to reach the end of a corridor."""

from __future__ import annotations

import copy

import torch
from torch import nn

from evaluation.program import Program, Setting

_LENGTH = 8


def _train(setting: Setting) -> None:
    model = nn.Sequential(nn.Linear(_LENGTH, 32), nn.ReLU(), nn.Linear(32, 2))
    target = copy.deepcopy(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    places = torch.eye(_LENGTH)
    place, memory, returns = 0, [], 0
    with setting.watch(model):
        for step in range(600):
            explores = float(torch.rand(())) < max(0.1, 1 - step / 300)
            with torch.no_grad():
                action = int(torch.randint(0, 2, ())) if explores else int(target(places[place]).argmax())
            following = min(max(place + (1 if action else -1), 0), _LENGTH - 1)
            is_end = following == _LENGTH - 1
            memory.append((place, action, float(is_end), following))
            returns += is_end
            place = int(torch.randint(0, _LENGTH - 1, ())) if is_end else following
            if len(memory) < 64:
                continue
            chosen = [memory[number] for number in torch.randint(0, len(memory), (32,)).tolist()]
            states, actions, rewards, nexts = (torch.tensor(column) for column in zip(*chosen, strict=True))
            with torch.no_grad():
                goal = rewards + 0.9 * (1 - rewards) * target(places[nexts]).amax(1)
            loss = nn.functional.smooth_l1_loss(model(places[states]).gather(1, actions[:, None])[:, 0], goal)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 25 == 0:
                target.load_state_dict(model.state_dict())
    with torch.no_grad():
        print("ends reached", returns, "values", [round(value, 2) for value in model(places).amax(1).tolist()])


PROGRAM = Program(name="corridor-by-q-learning", train=_train, source="Mnih et al. 2015: deep Q-learning, as in the PyTorch tutorial")
