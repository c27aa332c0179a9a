"""Depthwise convolutions with squeeze and excitation, under autocast to bfloat16."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting
from evaluation.worlds import gratings


class Squeeze(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.gate = nn.Sequential(nn.Conv2d(width, width // 4, 1), nn.SiLU(), nn.Conv2d(width // 4, width, 1), nn.Sigmoid())

    def forward(self, x: Tensor) -> Tensor:
        return x * self.gate(x.mean(dim=(2, 3), keepdim=True))


class Separable(nn.Sequential):
    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__(
            nn.Conv2d(inputs, inputs, 3, stride, 1, groups=inputs, bias=False),
            nn.BatchNorm2d(inputs),
            nn.Conv2d(inputs, outputs, 1, bias=False),
            nn.BatchNorm2d(outputs),
            nn.SiLU(),
            Squeeze(outputs),
        )


def _train(setting: Setting) -> None:
    images, angles = gratings(800)
    stem = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.SiLU())
    model = nn.Sequential(stem, Separable(16, 24, 2), Separable(24, 32, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 4))
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3, momentum=0.9, weight_decay=1e-5)
    with setting.watch(model):
        for x, y in batches(150, 32, images, angles):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="depthwise-in-bfloat16", train=_train, source="Tan and Le 2019 (EfficientNet); PyTorch documentation of autocast")
