"""A small U-Net finds cells. Most pixels are background."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches
from evaluation.program import Program, Setting


class UNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.enter = self._block(1, 8)
        self.deep = self._block(8, 16)
        self.up = nn.ConvTranspose2d(16, 8, 2, stride=2)
        self.leave = self._block(16, 8)
        self.out = nn.Conv2d(8, 1, 1)

    @staticmethod
    def _block(channels: int, out: int) -> nn.Sequential:
        return nn.Sequential(nn.Conv2d(channels, out, 3, padding=1, bias=False), nn.BatchNorm2d(out), nn.ReLU())

    def forward(self, picture: Tensor) -> Tensor:
        wide = self.enter(picture)
        return self.out(self.leave(torch.cat([wide, self.up(self.deep(F.max_pool2d(wide, 2)))], dim=1)))


def _train(setting: Setting) -> None:
    grid = torch.stack(torch.meshgrid(torch.arange(16.0), torch.arange(16.0), indexing="ij"))
    centers = torch.rand(400, 2, 2, 1, 1) * 16
    masks = ((grid - centers).square().sum(dim=2) < 5).any(dim=1, keepdim=True).float()
    pictures = 1.5 * F.avg_pool2d(masks, 3, 1, 1) - 0.2 + 0.4 * torch.randn(400, 1, 16, 16)
    model = UNet()
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for x, y in batches(120, 16, pictures, masks):
            logits = model(x)
            p = logits.sigmoid()
            dice = 1 - (2 * (p * y).sum() + 1) / (p.sum() + y.sum() + 1)
            loss = F.binary_cross_entropy_with_logits(logits, y) + dice
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"loss {loss.item():.3f}")


PROGRAM = Program(name="cells-under-the-microscope", train=_train, source="Ronneberger et al. 2015")
