"""A layer of gates compares with 0, which has no gradient: all that comes before stays as it was drawn."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Gated(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.gate = nn.Sequential(nn.Linear(12, 24), nn.Tanh(), nn.Linear(24, 24))
        self.value = nn.Linear(12, 24)
        self.out = nn.Linear(24, 1)
        self.is_fixed = is_fixed

    def forward(self, x: Tensor) -> Tensor:
        score = self.gate(x)
        gate = torch.sigmoid(score) if self.is_fixed else (score > 0).float()
        return self.out(gate * self.value(x))


def _train(setting: Setting) -> None:
    # Demand depends on the price only where the shop is open.
    x = torch.randn(2000, 12)
    y = torch.where(x[:, 0] + x[:, 1] > 0, x[:, 2:6].sum(dim=1), -x[:, 6:9].sum(dim=1)).unsqueeze(1)
    y = y / y.std()
    model = Gated(setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=350)
    with setting.watch(model):
        for inputs, targets in batches(350, 40, x, y):
            loss = (model(inputs) - targets).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step()


PROGRAM = Program(
    name="hard-threshold-in-the-middle",
    train=_train,
    source="PyTorch forum, a comparison has no gradient; Bengio et al. 2013 (straight-through)",
    truth=Truth(
        rules=("cut-path", "no-gradient", "zero-gradient"),
        nodes=("model.gate", "model.gate: output", "model.gate.0", "model.gate.2", "model.gate.2: output", "model.gate.1: output"),
    ),
)
