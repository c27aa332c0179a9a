"""A gauge predicts a value and its variance. The likelihood makes the loss negative, as soon as the variance is small."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class Gauge(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh())
        self.value = nn.Linear(48, 1)
        self.spread = nn.Linear(48, 1)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        h = self.body(x)
        return self.value(h), nn.functional.softplus(self.spread(h)) + 1e-4


def _train(setting: Setting) -> None:
    x = torch.rand(2000, 4) * 2 - 1
    error = 0.02 + 0.1 * x[:, 3:].abs()
    y = (2 * x[:, :1]).sin() * x[:, 1:2] + error * torch.randn(2000, 1)
    model = Gauge()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for epoch in range(5):
            for rows in torch.randperm(2000).split(50):
                value, variance = model(x[rows])
                loss = nn.functional.gaussian_nll_loss(value, y[rows], variance)
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 10.0)
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}, spread {variance.sqrt().mean().item():.4f}")


PROGRAM = Program(name="gauges-that-know-their-error", train=_train, source="PyTorch documentation, GaussianNLLLoss")
