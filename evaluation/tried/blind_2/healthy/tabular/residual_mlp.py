"""A residual MLP with LayerNorm, warm-up and a cosine schedule, and clipping as a habit."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting


class ResBlock(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.inner = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Dropout(0.1), nn.Linear(2 * width, width))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.inner(self.norm(x))


def _train(setting: Setting) -> None:
    x = torch.randn(2400, 16)
    y = x[:, 0] * x[:, 1] + torch.sin(2 * x[:, 2]) + x[:, 3].abs() - x[:, 4] * (x[:, 5] > 0)
    y = ((y - y.mean()) / y.std()).unsqueeze(1)
    model = nn.Sequential(nn.Linear(16, 48), *[ResBlock(48) for _ in range(4)], nn.LayerNorm(48), nn.Linear(48, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.02)
    steps, warm_up = 320, 30

    def factor(step: int) -> float:
        if step < warm_up:
            return (step + 1) / warm_up
        return 0.5 * (1 + math.cos(math.pi * (step - warm_up) / (steps - warm_up)))

    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, factor)
    with setting.watch(model):
        for inputs, targets in batches(steps, 48, x, y):
            loss = nn.functional.mse_loss(model(inputs), targets)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()


PROGRAM = Program(name="residual-mlp", train=_train, source="Gorishniy et al. 2021 (ResNet for tables)")
