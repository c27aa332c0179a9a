"""Predicts three quantiles of a value whose noise depends on the input, with the pinball loss."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting

QUANTILES = torch.tensor([0.1, 0.5, 0.9])


def _pinball(predicted: Tensor, y: Tensor) -> Tensor:
    error = y - predicted
    return torch.maximum(QUANTILES * error, (QUANTILES - 1) * error).mean()


def _train(setting: Setting) -> None:
    x = torch.rand(2000, 1) * 4 - 2
    y = torch.sin(2 * x) + (0.1 + 0.3 * x.abs()) * torch.randn(2000, 1)
    model = nn.Sequential(nn.Linear(1, 32), nn.SiLU(), nn.Linear(32, 32), nn.SiLU(), nn.Linear(32, 3))
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for _ in range(1000):
            index = torch.randint(2000, (64,))
            loss = _pinball(model(x[index]), y[index])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="quantile-regression", train=_train, source="Koenker and Bassett 1978, with a network")
