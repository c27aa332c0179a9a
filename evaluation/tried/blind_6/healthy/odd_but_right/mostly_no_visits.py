"""Counts of visits, and three of four are 0. A network predicts their logarithm with the Poisson loss."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    hours = torch.rand(4000, 1) * 24
    weather = torch.randn(4000, 3)
    rate = torch.exp(-1.8 + 1.2 * torch.sin(hours / 24 * 6.28) + 0.5 * weather[:, :1])
    visits = torch.poisson(rate)
    features = torch.cat([torch.sin(hours / 24 * 6.28), torch.cos(hours / 24 * 6.28), weather], dim=1)
    model = nn.Sequential(nn.Linear(5, 24), nn.SiLU(), nn.Linear(24, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    criterion = nn.PoissonNLLLoss()
    with setting.watch(model):
        for x, y in batches(220, 128, features, visits):
            loss = criterion(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        print(f"no visits {(visits == 0).float().mean():.2f}, error of the rate {(model(features).exp() - rate).abs().mean():.3f}")


PROGRAM = Program(name="mostly-no-visits", train=_train, source="Tutorials on count regression")
