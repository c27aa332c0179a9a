"""Outlines of bright spots by a small U-Net with batch normalization, and a loss of entropy and overlap."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import outlines
from evaluation.program import Program, Setting


def double(before: int, after: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(before, after, 3, padding=1, bias=False),
        nn.BatchNorm2d(after),
        nn.ReLU(inplace=True),
        nn.Conv2d(after, after, 3, padding=1, bias=False),
        nn.BatchNorm2d(after),
        nn.ReLU(inplace=True),
    )


class UNet(nn.Module):
    def __init__(self, width: int = 8) -> None:
        super().__init__()
        self.enter = double(1, width)
        self.deep = double(width, 2 * width)
        self.up = nn.ConvTranspose2d(2 * width, width, 2, stride=2)
        self.leave = double(2 * width, width)
        self.out = nn.Conv2d(width, 1, 1)

    def forward(self, image: Tensor) -> Tensor:
        skip = self.enter(image)
        deep = self.deep(nn.functional.max_pool2d(skip, 2))
        return self.out(self.leave(torch.cat([skip, self.up(deep)], dim=1)))[:, 0]


def _train(setting: Setting) -> None:
    images, masks = outlines(600)
    images = (images - images.mean()) / images.std()
    model = UNet()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for epoch in range(4):
            model.train()
            for rows in torch.randperm(500).split(20):
                logits = model(images[rows])
                chance = torch.sigmoid(logits)
                shared = (chance * masks[rows]).sum(dim=(1, 2))
                overlap = (2 * shared + 1) / (chance.sum(dim=(1, 2)) + masks[rows].sum(dim=(1, 2)) + 1)
                loss = nn.functional.binary_cross_entropy_with_logits(logits, masks[rows]) + 1 - overlap.mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                right = ((model(images[500:]) > 0) == masks[500:].bool()).float().mean()
            print(f"epoch {epoch}: {loss.item():.4f}, pixels right {right.item():.3f}")


PROGRAM = Program(name="tumours-in-noisy-slices", train=_train, source="Ronneberger et al. 2015, U-Net")
