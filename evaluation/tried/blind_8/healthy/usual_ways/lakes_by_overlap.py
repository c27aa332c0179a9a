"""A small U-Net finds lakes, by cross entropy and the overlap of the masks."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from evaluation.program import Program, Setting


class SmallUnet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.outer = nn.Sequential(nn.Conv2d(1, 12, 3, padding=1), nn.ReLU())
        self.inner = nn.Sequential(nn.Conv2d(12, 24, 3, padding=1), nn.ReLU(), nn.Conv2d(24, 12, 3, padding=1), nn.ReLU())
        self.merge = nn.Sequential(nn.Conv2d(24, 12, 3, padding=1), nn.ReLU(), nn.Conv2d(12, 1, 1))

    def forward(self, scan: Tensor) -> Tensor:
        fine = self.outer(scan)
        coarse = F.interpolate(self.inner(F.max_pool2d(fine, 2)), scale_factor=2.0)
        return self.merge(torch.cat([fine, coarse], dim=1))


def _train(setting: Setting) -> None:
    line = torch.arange(16).float()
    net = SmallUnet()
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    with setting.watch(net):
        for _ in range(160):
            y, x = 3 + 10 * torch.rand(2, 24, 1, 1)
            mask = ((line[:, None] - y) ** 2 + (line - x) ** 2 < 14).float()[:, None]
            scores = net(mask - 0.25 + 0.6 * torch.randn(24, 1, 16, 16))
            chance = scores.sigmoid()
            overlap = (2 * (chance * mask).sum(dim=(1, 2, 3)) + 1) / (chance.sum(dim=(1, 2, 3)) + mask.sum(dim=(1, 2, 3)) + 1)
            loss = F.binary_cross_entropy_with_logits(scores, mask) + (1 - overlap).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="lakes-by-overlap", train=_train, source="Ronneberger et al. 2015; Milletari et al. 2016")
