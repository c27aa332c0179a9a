"""Predicts the logarithm of a rate from counts."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    x = torch.randn(3000, 6)
    rate = torch.exp(0.6 * x[:, 0] - 0.4 * x[:, 1] + 0.3 * torch.sin(3 * x[:, 2]) + 0.5)
    counts = torch.poisson(rate)
    model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))
    criterion = nn.PoissonNLLLoss(log_input=True)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=5e-4)
    with setting.watch(model):
        for _ in range(20):
            for index in torch.randperm(3000).split(64):
                optimizer.zero_grad()
                loss = criterion(model(x[index]).squeeze(-1), counts[index])
                loss.backward()
                optimizer.step()


PROGRAM = Program(name="poisson-regression", train=_train, source="nn.PoissonNLLLoss, for counts")
