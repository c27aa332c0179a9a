"""A regression network ends in a ReLU, and half of the targets are negative."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, curves
from evaluation.program import Program, Setting, Truth


class Forecast(nn.Module):
    def __init__(self, positive: bool) -> None:
        super().__init__()
        self.lstm = nn.LSTM(1, 24, batch_first=True)
        self.out = nn.Linear(24, 1)
        self.positive = positive

    def forward(self, x: Tensor) -> Tensor:
        states, _ = self.lstm(x)
        value = self.out(states[:, -1])
        return torch.relu(value) if self.positive else value


def _train(setting: Setting) -> None:
    inputs, targets = curves()
    model = Forecast(positive=not setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for x, y in batches(600, 32, inputs, targets):
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="relu-output-for-negative-targets",
    train=_train,
    source="Stack Overflow 48251943",
    truth=Truth(rules=("target-out-of-range",), nodes=("model: output",)),
)
