"""Super-resolution: a network doubles the size of pictures, with pixel shuffle and a skip of the enlarged input."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches
from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import shapes


class Upscaler(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 24, 3, padding=1), nn.PReLU(), nn.Conv2d(24, 24, 3, padding=1), nn.PReLU())
        self.details = nn.Sequential(nn.Conv2d(24, 4, 3, padding=1), nn.PixelShuffle(2))

    def forward(self, small: Tensor) -> Tensor:
        large = F.interpolate(small, scale_factor=2, mode="bilinear", align_corners=False)
        return large + self.details(self.features(small))


def _train(setting: Setting) -> None:
    large = shapes(500, size=16, noise=0.02).images
    small = F.avg_pool2d(large, 2)
    model = Upscaler()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for x, y in batches(150, 16, small, large):
            loss = F.l1_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="sharper-pictures", train=_train, source="Shi et al. 2016 (pixel shuffle)")
