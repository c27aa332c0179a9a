"""Attention multiplies its scores with the root of the width instead of dividing: each position looks at a single other."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Attention(nn.Module):
    def __init__(self, width: int, is_fixed: bool) -> None:
        super().__init__()
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.softmax = nn.Softmax(dim=-1)
        self.scale = width**-0.5 if is_fixed else width**0.5

    def forward(self, x: Tensor) -> Tensor:
        scores = self.query(x) @ self.key(x).transpose(1, 2) * self.scale
        return self.softmax(scores) @ self.value(x)


class Model(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.embed = nn.Linear(5, 64)
        self.attention = Attention(64, is_fixed)
        self.norm = nn.LayerNorm(64)
        self.out = nn.Linear(64, 1)

    def forward(self, x: Tensor) -> Tensor:
        h = self.embed(x)
        return self.out(torch.relu(self.norm(h + self.attention(h)))).squeeze(2)


def _train(setting: Setting) -> None:
    # Each particle feels the mean of all particles.
    x = 1.5 * torch.randn(1500, 12, 5)
    y = x[:, :, 0] - 2 * x[:, :, 1].mean(dim=1, keepdim=True)
    model = Model(setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for inputs, targets in batches(250, 32, x, y):
            loss = nn.functional.mse_loss(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="scores-times-root-of-width",
    train=_train,
    source="Vaswani et al. 2017 (scaled attention), wrong sign of the exponent",
    truth=Truth(
        rules=("attention-collapse",),
        nodes=("model.attention.softmax: output", "model.attention.softmax", "model.attention", "model.attention.softmax: input"),
    ),
)
