"""A small network with a skip connection marks lakes in satellite images."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


def _double(channels_in: int, channels_out: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(channels_in, channels_out, 3, padding=1), nn.BatchNorm2d(channels_out), nn.ReLU(),
        nn.Conv2d(channels_out, channels_out, 3, padding=1), nn.ReLU(),
    )  # fmt: skip


class _UNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.down = _double(2, 8)
        self.bottom = _double(8, 16)
        self.up = nn.ConvTranspose2d(16, 8, 2, stride=2)
        self.merge = _double(16, 8)
        self.head = nn.Conv2d(8, 1, 1)

    def forward(self, x: Tensor) -> Tensor:
        fine = self.down(x)
        coarse = self.bottom(nn.functional.max_pool2d(fine, 2))
        return self.head(self.merge(torch.cat([fine, self.up(coarse)], dim=1)))


def _train(setting: Setting) -> None:
    grid = torch.arange(16.0)
    row, column = 3 + 10 * torch.rand(2, 400, 1, 1)
    width, height = 2 + 3 * torch.rand(2, 400, 1, 1)
    lakes = (((grid[:, None] - row) / height) ** 2 + ((grid[None] - column) / width) ** 2 < 1).float()[:, None]
    images = torch.cat([lakes, -lakes], dim=1) + 0.8 * torch.randn(400, 2, 16, 16)
    model = _UNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for _ in range(10):
            model.train()
            for index in torch.randperm(320).split(16):
                loss = nn.functional.binary_cross_entropy_with_logits(model(images[index]), lakes[index])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    model.eval()
    with torch.no_grad():
        print("right", ((model(images[320:]) > 0) == lakes[320:].bool()).float().mean().item())


PROGRAM = Program(name="lakes-by-unet", train=_train, source="Ronneberger et al. 2015: U-Net")
