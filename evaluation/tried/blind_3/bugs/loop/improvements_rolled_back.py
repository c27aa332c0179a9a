"""Weights go back to the last good ones when validation gets worse, but the comparison is the wrong way around."""

from __future__ import annotations

from copy import deepcopy

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import spirals


def _train(setting: Setting) -> None:
    points, arms = spirals(1200)
    train, valid = slice(0, 1000), slice(1000, 1200)
    net = nn.Sequential(nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 3))
    optimizer = torch.optim.RMSprop(net.parameters(), lr=2e-3)
    criterion = nn.CrossEntropyLoss()
    best, best_loss = deepcopy(net.state_dict()), float("inf")
    with setting.watch(net):
        for _ in range(25):
            for chosen in torch.randperm(1000).split(100):
                optimizer.zero_grad()
                criterion(net(points[train][chosen]), arms[train][chosen]).backward()
                optimizer.step()
            net.eval()
            with torch.no_grad():
                loss = criterion(net(points[valid]), arms[valid]).item()
            net.train()
            is_better = loss < best_loss if setting.is_fixed else loss > best_loss
            if is_better:
                best, best_loss = deepcopy(net.state_dict()), loss
            else:
                net.load_state_dict(best)


PROGRAM = Program(
    name="improvements-rolled-back",
    train=_train,
    source="questions about best_state and comparisons for checkpoints",
    truth=Truth(rules=("loss-does-not-fall", "predictions-ignore-input", "oscillating-loss", "never-updated")),
)
