"""Fits a small network on all data with LBFGS and a closure."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    x = torch.rand(200, 2) * 2 - 1
    y = torch.sin(3 * x[:, :1]) * torch.cos(2 * x[:, 1:]) + 0.05 * torch.randn(200, 1)
    model = nn.Sequential(nn.Linear(2, 24), nn.Tanh(), nn.Linear(24, 24), nn.Tanh(), nn.Linear(24, 1))
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=4, history_size=10, line_search_fn="strong_wolfe")

    def closure() -> Tensor:
        optimizer.zero_grad()
        penalty = sum((parameter**2).sum() for parameter in model.parameters())
        loss = nn.functional.mse_loss(model(x), y) + 1e-5 * penalty
        loss.backward()
        return loss

    with setting.watch(model):
        for _ in range(600):
            optimizer.step(closure)


PROGRAM = Program(name="lbfgs", train=_train, source="PyTorch's documentation of torch.optim.LBFGS")
