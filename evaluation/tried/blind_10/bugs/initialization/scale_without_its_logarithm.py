"""The scale of similarities is learned as a logarithm. It begins with 1 / 0.07 itself, of which the exponential is a million."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class TwoTowers(nn.Module):
    def __init__(self, scale: float) -> None:
        super().__init__()
        self.recipe = nn.Sequential(nn.Linear(24, 64), nn.GELU(), nn.Linear(64, 32))
        self.photo = nn.Sequential(nn.Linear(40, 64), nn.GELU(), nn.Linear(64, 32))
        self.logit_scale = nn.Parameter(torch.tensor(scale))

    def forward(self, recipes: Tensor, photos: Tensor) -> Tensor:
        a = nn.functional.normalize(self.recipe(recipes), dim=1)
        b = nn.functional.normalize(self.photo(photos), dim=1)
        return self.logit_scale.exp() * (a @ b.T)


def _train(setting: Setting) -> None:
    dish = torch.randn(2000, 8)
    recipes = torch.tanh(dish @ torch.randn(8, 24) / 2) + 0.2 * torch.randn(2000, 24)
    photos = torch.tanh(dish @ torch.randn(8, 40) / 2) + 0.2 * torch.randn(2000, 40)
    model = TwoTowers(math.log(1 / 0.07) if setting.is_fixed else 1 / 0.07)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    labels = torch.arange(40)
    with setting.watch(model):
        for step in range(160):
            rows = torch.randperm(2000)[:40]
            logits = model(recipes[rows], photos[rows])
            loss = (nn.functional.cross_entropy(logits, labels) + nn.functional.cross_entropy(logits.T, labels)) / 2
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 40 == 39:
                print(f"{step}: {loss.item():.4g}")


PROGRAM = Program(
    name="scale-without-its-logarithm",
    train=_train,
    source="GitHub issues on how CLIP initializes its logit_scale",
    truth=Truth(
        rules=("initial-loss", "near-overflow", "growing-with-depth", "logit-growth", "exploding-gradient", "oscillating-loss"),
        nodes=("model", "model: output", "model.logit_scale", "cross_entropy", "cross_entropy (2)", "exp", "mul"),
    ),
)
