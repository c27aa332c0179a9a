"""The model is given measurements in their own units, and normalizes them itself with stored means and deviations."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, regression_table
from evaluation.program import Program, Setting


class Normalizing(nn.Module):
    mean: Tensor
    deviation: Tensor

    def __init__(self, table: Tensor) -> None:
        super().__init__()
        self.register_buffer("mean", table.mean(dim=0))
        self.register_buffer("deviation", table.std(dim=0))
        self.layers = nn.Sequential(nn.Linear(table.shape[1], 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 1))

    def forward(self, table: Tensor) -> Tensor:
        return self.layers((table - self.mean) / self.deviation)


def _train(setting: Setting) -> None:
    x, y = regression_table(1500, 6)
    raw = x * torch.tensor([1.0, 12.0, 0.02, 300.0, 9000.0, 4.0]) + torch.tensor([0.0, 70.0, 1.0, 1013.0, 52_000.0, -20.0])
    model = Normalizing(raw)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for table, target in batches(220, 40, raw, y):
            loss = nn.functional.mse_loss(model(table), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="normalized-inside", train=_train, source="Normalization layers of Keras; torchvision's detectors normalize inside")
