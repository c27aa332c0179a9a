"""A curve through eighteen measurements, all of them in every step, with a decay that keeps it smooth."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    time = torch.linspace(-1, 1, 18)[:, None]
    measured = torch.sin(3 * time) + 0.4 * time**2 + 0.05 * torch.randn(18, 1)
    curve = nn.Sequential(nn.Linear(1, 30), nn.Tanh(), nn.Linear(30, 30), nn.Tanh(), nn.Linear(30, 1))
    optimizer = torch.optim.Adam(curve.parameters(), lr=5e-3, weight_decay=1e-4)
    with setting.watch(curve):
        for _ in range(350):
            optimizer.zero_grad()
            loss = ((curve(time) - measured) ** 2).mean()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="eighteen-measurements", train=_train, source="PyTorch tutorial, learning with examples: fit a curve")
