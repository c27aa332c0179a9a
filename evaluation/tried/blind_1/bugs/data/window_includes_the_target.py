"""The windows of a time series are one value too long: the last input is the value to be predicted."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Mixer(nn.Module):
    def __init__(self, length: int) -> None:
        super().__init__()
        self.conv = nn.Conv1d(1, 16, 5, padding=2)
        self.fc1 = nn.Linear(16 * length, 32)
        self.fc2 = nn.Linear(32, 1)

    def forward(self, window: Tensor) -> Tensor:
        x = torch.relu(self.conv(window[:, None]))
        return self.fc2(torch.relu(self.fc1(x.flatten(1))))


def _train(setting: Setting) -> None:
    # A random walk that is drawn back to 0: most of the next step cannot be known.
    series = torch.zeros(3000)
    for t in range(1, 3000):
        series[t] = 0.5 * series[t - 1] + torch.randn(())
    windows = series.unfold(0, 13, 1)
    targets = windows[:, -1:]
    windows = windows[:, :-1] if setting.is_fixed else windows[:, 1:]
    model = Mixer(12)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for x, y in batches(600, 32, windows, targets):
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="window-includes-the-target",
    train=_train,
    source="Kapoor and Narayanan 2023, leakage; Stack Overflow on windows that are off by one",
    truth=Truth(rules=("feature-is-label",), nodes=("model: input window",)),
)
