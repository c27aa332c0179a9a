"""A Gaussian likelihood by hand: means of shape (B, 1) and targets of shape (B,) compare every prediction with every target."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, regression_table
from evaluation.program import Program, Setting, Truth


class MeanAndVariance(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(10, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU())
        self.mean = nn.Linear(48, 1)
        self.log_variance = nn.Linear(48, 1)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        h = self.trunk(x)
        return self.mean(h), self.log_variance(h).clamp(-6, 6)


def _train(setting: Setting) -> None:
    inputs, targets = regression_table()
    if not setting.is_fixed:
        targets = targets.squeeze(1)
    model = MeanAndVariance()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for x, y in batches(700, 32, inputs, targets):
            mean, log_variance = model(x)
            loss = 0.5 * (log_variance + (y - mean) ** 2 / log_variance.exp()).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="likelihood-of-everybody-elses-target",
    train=_train,
    source="PyTorch forum, broadcasting in losses that are written by hand",
    truth=Truth(rules=("broadcast-in-loss",), nodes=("model.mean: output", "model.mean", "model: output[0]", "model: output")),
)
