"""Predicts a mean and a variance with `GaussianNLLLoss`, which becomes negative where the noise is small."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(3, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh())
        self.mean = nn.Linear(48, 1)
        self.variance = nn.Sequential(nn.Linear(48, 1), nn.Softplus())

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        h = self.trunk(x)
        return self.mean(h), self.variance(h)


def _train(setting: Setting) -> None:
    x = 2 * torch.rand(2500, 3) - 1
    noise = 0.02 + 0.2 * (x[:, 1:2] > 0)
    y = torch.sin(3 * x[:, :1]) * x[:, 2:] + noise * torch.randn(2500, 1)
    model = Net()
    criterion = nn.GaussianNLLLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for a, b in batches(900, 64, x, y):
            mean, variance = model(a)
            loss = criterion(mean, b, variance)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()


PROGRAM = Program(name="heteroscedastic", train=_train, source="Nix and Weigend 1994, with PyTorch's GaussianNLLLoss")
