"""Walks to a goal by Q-learning, with a store of moves and a copy of the network for the targets."""

from __future__ import annotations

import copy

import torch
from torch import Tensor, nn

from evaluation.environments import Grid
from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    grid = Grid(32)
    q = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))
    target = copy.deepcopy(q)
    optimizer = torch.optim.Adam(q.parameters(), lr=2e-3)
    stores: list[list[Tensor]] = [[], [], [], [], []]
    place = grid.reset()
    with setting.watch(q):
        for step in range(260):
            with torch.no_grad():
                greedy = q(place).argmax(dim=1)
            explores = torch.rand(32) < max(0.1, 1 - step / 150)
            move = torch.where(explores, torch.randint(0, 4, (32,)), greedy)
            after, gain, end = grid.step(move)
            for store, value in zip(stores, (place, move, gain, after, end.float()), strict=True):
                store.append(value)
            place = after
            if step < 60:
                continue
            chosen = torch.randint(0, 32 * len(stores[0]), (128,))
            before, done, gained, later, ended = (torch.cat(store)[chosen] for store in stores)
            with torch.no_grad():
                ahead = target(later).amax(dim=1)
                wanted = gained + 0.9 * (1 - ended) * ahead
            value = q(before).gather(1, done[:, None])[:, 0]
            loss = nn.functional.smooth_l1_loss(value, wanted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 20 == 0:
                target.load_state_dict(q.state_dict())
            if step % 40 == 39:
                print(f"{step}: {loss.item():.4f}, gain per move {torch.stack(stores[2][-40:]).mean().item():.3f}")


PROGRAM = Program(name="goals-on-a-grid-by-replay", train=_train, source="Mnih et al. 2015, deep Q-networks")
