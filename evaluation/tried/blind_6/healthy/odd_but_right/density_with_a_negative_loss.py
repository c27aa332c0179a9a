"""A mixture density network: the loss is a negative logarithm of a density, and densities can be above 1."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting


class Mixture(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(1, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh())
        self.out = nn.Linear(48, 9)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        weight, mean, log_scale = self.out(self.body(x)).chunk(3, dim=1)
        return weight.log_softmax(dim=1), mean, log_scale.clamp(-5, 3)


def _train(setting: Setting) -> None:
    x_all = torch.rand(4000, 1) * 4 - 2
    sign = torch.randint(0, 2, (4000, 1)) * 2 - 1
    y_all = sign * (0.3 + 0.2 * torch.sin(2 * x_all)) + 0.02 * torch.randn(4000, 1)
    model = Mixture()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for x, y in batches(300, 128, x_all, y_all):
            log_weight, mean, log_scale = model(x)
            each = -0.5 * ((y - mean) / log_scale.exp()).square() - log_scale - 0.5 * math.log(2 * math.pi)
            loss = -torch.logsumexp(log_weight + each, dim=1).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"loss {loss.item():.3f}")


PROGRAM = Program(name="density-with-a-negative-loss", train=_train, source="Bishop 1994")
