"""Weights are drawn by torch.randn without a scale, so the values grow in every one of six layers."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Dense(nn.Module):
    def __init__(self, width_in: int, width_out: int, scale: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(scale * torch.randn(width_in, width_out))
        self.bias = nn.Parameter(torch.zeros(width_out))

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.weight + self.bias


def _train(setting: Setting) -> None:
    is_scaled = setting.is_fixed
    layers: list[nn.Module] = []
    widths = [16, 48, 48, 48, 48, 48, 3]
    for width_in, width_out in pairwise(widths):
        layers += [_Dense(width_in, width_out, (2 / width_in) ** 0.5 if is_scaled else 1.0), nn.ReLU()]
    model = nn.Sequential(*layers[:-1])
    x = torch.randn(1500, 16)
    y = torch.stack([x[:, 0], x[:, 1] * x[:, 2], x[:, 3]], dim=1).argmax(1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
    with setting.watch(model):
        for _ in range(12):
            for index in torch.randperm(1200).split(30):
                loss = nn.functional.cross_entropy(model(x[index]), y[index])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        print("accuracy", (model(x[1200:]).argmax(1) == y[1200:]).float().mean().item(), "loss", loss.item())


PROGRAM = Program(
    name="weights-of-unit-variance",
    train=_train,
    source="Cao et al. 2022, DeepFD: wrong weight initialization; StackOverflow: own layers with torch.randn",
    truth=Truth(
        rules=(
            "growing-with-depth", "initial-loss", "exploding-gradient", "updates-too-large", "nan-origin", "diverging-loss", "dead-relu",
            "predictions-ignore-input", "runaway-growth", "loss-does-not-fall", "gradient-spike",
        )
    ),
)  # fmt: skip
