"""The window of a forecast is cut one value too late, so the value to forecast is its last."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Forecaster(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv1d(1, 16, 5)
        self.hidden = nn.Linear(16 * 16, 32)
        self.out = nn.Linear(32, 1)

    def forward(self, window: Tensor) -> Tensor:
        h = torch.relu(self.conv(window[:, None]))
        return self.out(torch.relu(self.hidden(h.flatten(1))))


def _train(setting: Setting) -> None:
    noise = torch.randn(3000)
    series = torch.zeros(3000)
    for t in range(2, 3000):
        series[t] = 1.5 * series[t - 1] - 0.8 * series[t - 2] + 0.4 * noise[t]
    last = 20 if setting.is_fixed else 21
    starts = torch.arange(2900)
    windows = torch.stack([series[start + last - 20 : start + last] for start in starts.tolist()])
    targets = series[starts + 20][:, None]
    model = Forecaster()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for x, y in batches(220, 64, windows, targets):
            loss = F.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"error {F.mse_loss(model(windows), targets):.4f}")


PROGRAM = Program(
    name="window-with-its-target",
    train=_train,
    source="StackOverflow, time series forecasts that are too good: off-by-one windows",
    truth=Truth(rules=("feature-is-label",), nodes=("model: input window", "mse_loss: target")),
)
