"""A neural additive model: every column has a small network of its own, and their answers are added."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting


class Additive(nn.Module):
    def __init__(self, columns: int) -> None:
        super().__init__()
        self.curves = nn.ModuleList(nn.Sequential(nn.Linear(1, 24), nn.ReLU(), nn.Linear(24, 1)) for _ in range(columns))
        self.base = nn.Parameter(torch.zeros(1))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        parts = torch.cat([curve(column) for curve, column in zip(self.curves, x.split(1, dim=1), strict=True)], dim=1)
        return parts.sum(dim=1) + self.base, parts


def _train(setting: Setting) -> None:
    x = torch.rand(1800, 5) * 4 - 2
    y = torch.sin(2 * x[:, 0]) + x[:, 1].square() / 2 - x[:, 2].abs() + 0.1 * torch.randn(1800)
    y = (y - y.mean()) / y.std()
    model = Additive(5)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for inputs, targets in batches(250, 50, x, y):
            answer, parts = model(inputs)
            loss = nn.functional.mse_loss(answer, targets) + 1e-3 * parts.square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="sums-of-curves", train=_train, source="Agarwal et al. 2021 (neural additive models)")
