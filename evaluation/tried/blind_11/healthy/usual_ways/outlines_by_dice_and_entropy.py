"""Segmentation of shapes by a small U-Net with group norm; the loss is cross entropy plus dice."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import shapes


def stage(before: int, after: int) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(before, after, 3, padding=1), nn.GroupNorm(4, after), nn.ReLU())


class UNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second, self.third = stage(1, 12), stage(12, 24), stage(36, 12)
        self.up = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False)
        self.out = nn.Conv2d(12, 1, 1)

    def forward(self, x: Tensor) -> Tensor:
        skip = self.first(x)
        deep = self.second(nn.functional.max_pool2d(skip, 2))
        return self.out(self.third(torch.cat([skip, self.up(deep)], dim=1)))


def dice(logits: Tensor, masks: Tensor) -> Tensor:
    chance = logits.sigmoid()
    overlap = (chance * masks).sum(dim=(1, 2, 3))
    return 1 - ((2 * overlap + 1) / (chance.sum(dim=(1, 2, 3)) + masks.sum(dim=(1, 2, 3)) + 1)).mean()


def _train(setting: Setting) -> None:
    data = shapes(500)
    net = UNet()
    optimizer = torch.optim.AdamW(net.parameters(), lr=3e-3)
    with setting.watch(net):
        for epoch in range(5):
            net.train()
            for rows in torch.randperm(400).split(20):
                logits = net(data.images[rows])
                loss = nn.functional.binary_cross_entropy_with_logits(logits, data.masks[rows]) + dice(logits, data.masks[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            net.eval()
            with torch.no_grad():
                overlap = 1 - dice(net(data.images[400:]), data.masks[400:]).item()
            print(f"epoch {epoch}: loss {loss.item():.4f}, dice of the others {overlap:.3f}")


PROGRAM = Program(
    name="outlines-by-dice-and-entropy", train=_train, source="Ronneberger et al. 2015, U-Net; Milletari et al. 2016, dice loss"
)
