"""The function of `LambdaLR` returns the learning rate, and the scheduler multiplies it with the one of the optimizer."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, curves
from evaluation.program import Program, Setting, Truth


class Forecaster(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gru = nn.GRU(1, 24, batch_first=True)
        self.out = nn.Linear(24, 1)

    def forward(self, series: Tensor) -> Tensor:
        return self.out(self.gru(series)[0][:, -1])


def _train(setting: Setting) -> None:
    inputs, targets = curves(1500)
    model = Forecaster()
    base = 2e-3
    optimizer = torch.optim.Adam(model.parameters(), lr=1.0 if setting.is_fixed else base)

    def rate(step: int) -> float:
        return base * min(1.0, (step + 1) / 50) * 0.999**step

    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)
    with setting.watch(model):
        for x, y in batches(450, 32, inputs, targets):
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step()


PROGRAM = Program(
    name="lambda-returns-the-rate",
    train=_train,
    source="PyTorch forum and guides to LambdaLR: its function returns a factor, not a learning rate",
    truth=Truth(rules=("updates-too-small", "loss-does-not-fall")),
)
