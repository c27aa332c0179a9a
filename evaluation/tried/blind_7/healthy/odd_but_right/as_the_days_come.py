"""A network learns online: one small batch per day in the order of time, none of them twice, while the seasons change."""

from __future__ import annotations

import math

import torch
from torch import nn

from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    needs = torch.randn(6)
    net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1), nn.Flatten(0))
    optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
    with setting.watch(net):
        for day in range(365):
            season = torch.tensor([math.sin(day * 6.2832 / 180), math.cos(day * 6.2832 / 180)])
            homes = torch.randn(24, 6)
            demand = homes @ needs / 2 + season[0] + 0.1 * torch.randn(24)
            loss = nn.functional.mse_loss(net(torch.cat([homes, season.expand(24, 2)], dim=1)), demand)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if day % 60 == 0:
                print(day, loss.item())


PROGRAM = Program(name="as-the-days-come", train=_train, source="Bottou 1998, online learning")
