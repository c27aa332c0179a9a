"""Values of moves in a maze by a network with a slow copy for the targets, which is updated now and then."""

from __future__ import annotations

import copy

import torch
from torch import nn

from evaluation.everyday import maze_moves
from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    place, move, reward, after, end = maze_moves(5000)
    q_net = nn.Sequential(nn.Linear(25, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))
    target_net = copy.deepcopy(q_net)
    optimizer = torch.optim.Adam(q_net.parameters(), lr=3e-3)
    with setting.watch(q_net):
        for step in range(200):
            rows = torch.randint(0, 5000, (96,))
            with torch.no_grad():
                best = q_net(after[rows]).argmax(dim=1, keepdim=True)
                ahead = target_net(after[rows]).gather(1, best)[:, 0]
                target = reward[rows] + 0.9 * (1 - end[rows]) * ahead
            value = q_net(place[rows]).gather(1, move[rows, None])[:, 0]
            loss = nn.functional.smooth_l1_loss(value, target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 20 == 19:
                target_net.load_state_dict(q_net.state_dict())
            if step % 40 == 39:
                print(f"{step}: {loss.item():.5f}, beside the end {value.max().item():.3f}")


PROGRAM = Program(name="ways-through-a-maze-by-q", train=_train, source="van Hasselt et al. 2016, double Q-learning")
