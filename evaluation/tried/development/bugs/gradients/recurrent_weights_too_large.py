"""Recurrent weights start at 6 times an orthogonal matrix: the states are saturated."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, curves
from evaluation.program import Program, Setting, Truth


class Recurrent(nn.Module):
    def __init__(self, factor: float) -> None:
        super().__init__()
        self.cell = nn.RNNCell(1, 32)
        self.head = nn.Linear(32, 1)
        nn.init.orthogonal_(self.cell.weight_hh)
        with torch.no_grad():
            self.cell.weight_hh *= factor

    def forward(self, x: Tensor) -> Tensor:
        hidden = torch.zeros(len(x), 32)
        for position in range(x.shape[1]):
            hidden = self.cell(x[:, position], hidden)
        return self.head(hidden)


def _train(setting: Setting) -> None:
    inputs, targets = curves()
    model = Recurrent(1.0 if setting.is_fixed else 6.0)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for x, y in batches(600, 32, inputs, targets):
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="recurrent-weights-too-large",
    train=_train,
    source="Pascanu et al. 2013",
    truth=Truth(rules=("saturated-units", "exploding-gradient"), nodes=("model.cell", "model.cell: output")),
)
