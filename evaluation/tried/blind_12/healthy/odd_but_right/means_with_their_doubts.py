"""The network gives a mean and a deviation, and its likelihood is a loss that becomes negative."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class Doubt(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        self.mean = nn.Linear(64, 1)
        self.spread = nn.Linear(64, 1)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        h = self.body(x)
        return self.mean(h), nn.functional.softplus(self.spread(h)) + 1e-3


def _train(setting: Setting) -> None:
    x = torch.rand(2400, 3) * 2 - 1
    y = torch.sin(3 * x[:, :1]) * x[:, 1:2] + (0.02 + 0.1 * x[:, 2:].abs()) * torch.randn(2400, 1)
    model = Doubt()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for epoch in range(5):
            for rows in torch.randperm(2400).split(60):
                mean, spread = model(x[rows])
                loss = -torch.distributions.Normal(mean, spread).log_prob(y[rows]).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(name="means-with-their-doubts", train=_train, source="Nix and Weigend 1994, mean and variance of a target")
