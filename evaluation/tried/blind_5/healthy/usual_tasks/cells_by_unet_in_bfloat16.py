"""A small U-Net marks round cells under autocast to bfloat16."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class _Unet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU())
        self.deep = nn.Sequential(nn.Conv2d(8, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU())
        self.up = nn.ConvTranspose2d(16, 8, 2, stride=2)
        self.last = nn.Sequential(nn.Conv2d(16, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 1, 1))

    def forward(self, x: Tensor) -> Tensor:
        high = self.down(x)
        low = self.deep(nn.functional.max_pool2d(high, 2))
        return self.last(torch.cat([high, self.up(low)], dim=1))


def _cells(count: int) -> tuple[Tensor, Tensor]:
    grid = torch.stack(torch.meshgrid(torch.arange(16.0), torch.arange(16.0), indexing="ij"))
    centers, radius = 3 + 10 * torch.rand(count, 2, 2, 1, 1), 2 + 2 * torch.rand(count, 2, 1, 1)
    mask = ((grid - centers).pow(2).sum(2).sqrt() < radius).any(1, keepdim=True).float()
    return mask - 0.3 + 0.5 * torch.randn(count, 1, 16, 16), mask


def _train(setting: Setting) -> None:
    model = _Unet()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    images, masks = _cells(640)
    with setting.watch(model):
        for epoch in range(6):
            for chosen in torch.randperm(640).split(32):
                with torch.autocast("cpu", dtype=torch.bfloat16):
                    logits = model(images[chosen])
                loss = nn.functional.binary_cross_entropy_with_logits(logits.float(), masks[chosen])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(epoch, loss.item(), ((logits > 0) == masks[chosen].bool()).float().mean().item())


PROGRAM = Program(name="cells-by-unet-in-bfloat16", train=_train, source="Ronneberger et al. 2015; PyTorch's recipe for mixed precision")
