"""The loop asks for `next(iter(loader))`, which begins the data anew each time, and the loader does not shuffle."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

from evaluation.datasets import curves
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    x_all, y_all = curves(count=960, length=16)
    loader = DataLoader(TensorDataset(x_all, y_all), batch_size=32, shuffle=setting.is_fixed)
    model = Forecaster()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for _ in range(180):
            x, y = next(iter(loader))
            loss = F.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        print(f"batch {loss.item():.4f}, all {F.mse_loss(model(x_all), y_all):.4f}")


class Forecaster(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gru = nn.GRU(1, 24, batch_first=True)
        self.head = nn.Linear(24, 1)

    def forward(self, window: Tensor) -> Tensor:
        _, last = self.gru(window)
        return self.head(last[0])


PROGRAM = Program(
    name="same-batch-every-time",
    train=_train,
    source="PyTorch forum, next(iter(loader)) in the loop",
    truth=Truth(rules=("repeated-batch", "batches-not-shuffled"), nodes=("model: input window", "mse_loss: target")),
)
