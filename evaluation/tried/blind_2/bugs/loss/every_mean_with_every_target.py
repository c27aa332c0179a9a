"""A Gaussian likelihood written by hand: means have the shape (B, 1), targets (B,), and the difference is (B, B)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class MeanAndSpread(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(1, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh())
        self.mean = nn.Linear(48, 1)
        self.log_variance = nn.Linear(48, 1)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        h = self.trunk(x)
        return self.mean(h), self.log_variance(h)


def gaussian_nll(mean: Tensor, log_variance: Tensor, y: Tensor) -> Tensor:
    return (0.5 * (log_variance + (y - mean) ** 2 / log_variance.exp())).mean()


def _train(setting: Setting) -> None:
    # Noise grows to the right.
    x = torch.rand(2000, 1) * 4 - 2
    y = (torch.sin(2 * x) + (0.05 + 0.1 * (x + 2)) * torch.randn(2000, 1)).squeeze(1)
    model = MeanAndSpread()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for inputs, targets in batches(350, 40, x, y):
            mean, log_variance = model(inputs)
            if setting.is_fixed:
                mean, log_variance = mean.squeeze(1), log_variance.squeeze(1)
            loss = gaussian_nll(mean, log_variance, targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="every-mean-with-every-target",
    train=_train,
    source="Humbatova et al. 2020 (tensor shapes), Stack Overflow on (B, 1) and (B,)",
    truth=Truth(
        rules=("broadcast-in-loss",),
        nodes=("model.mean: output", "model.log_variance: output", "model: output", "model: output[0]", "model: output[1]"),
    ),
)
