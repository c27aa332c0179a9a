"""Recurrent weights start at 0.3 times an orthogonal matrix, over 40 steps: the beginning is forgotten."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Recurrent(nn.Module):
    def __init__(self, factor: float) -> None:
        super().__init__()
        self.cell = nn.RNNCell(1, 32)
        self.head = nn.Linear(32, 2)
        nn.init.orthogonal_(self.cell.weight_hh)
        with torch.no_grad():
            self.cell.weight_hh *= factor

    def forward(self, x: Tensor) -> Tensor:
        hidden = torch.zeros(len(x), 32)
        for position in range(x.shape[1]):
            hidden = self.cell(x[:, position], hidden)
        return self.head(hidden)


def _train(setting: Setting) -> None:
    # The sign of the first value is to be remembered.
    signals = 0.1 * torch.randn(1500, 40, 1)
    signals[:, 0] = torch.randn(1500, 1).sign()
    labels = (signals[:, 0, 0] > 0).long()
    model = Recurrent(1.0 if setting.is_fixed else 0.3)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for x, y in batches(460, 32, signals, labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="recurrent-weights-too-small",
    train=_train,
    source="Bengio et al. 1994",
    truth=Truth(rules=("vanishing-gradient",), nodes=("model.cell", "model.cell: output")),
)
