"""A U-Net that marks the pixels of a shape, trained with the dice loss and binary cross-entropy."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import shapes


def _double(channels_in: int, channels: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(channels_in, channels, 3, padding=1, bias=False),
        nn.BatchNorm2d(channels),
        nn.ReLU(inplace=True),
        nn.Conv2d(channels, channels, 3, padding=1, bias=False),
        nn.BatchNorm2d(channels),
        nn.ReLU(inplace=True),
    )


class _UNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.down1 = _double(1, 6)
        self.down2 = _double(6, 12)
        self.bottom = _double(12, 16)
        self.up2 = nn.ConvTranspose2d(16, 12, 2, stride=2)
        self.merge2 = _double(24, 12)
        self.up1 = nn.ConvTranspose2d(12, 6, 2, stride=2)
        self.merge1 = _double(12, 6)
        self.out = nn.Conv2d(6, 1, 1)
        self.pool = nn.MaxPool2d(2)

    def forward(self, x: Tensor) -> Tensor:
        x1 = self.down1(x)
        x2 = self.down2(self.pool(x1))
        x = self.bottom(self.pool(x2))
        x = self.merge2(torch.cat([self.up2(x), x2], dim=1))
        x = self.merge1(torch.cat([self.up1(x), x1], dim=1))
        return self.out(x)


def _dice_loss(logits: Tensor, masks: Tensor) -> Tensor:
    p = torch.sigmoid(logits)
    overlap = (p * masks).sum(dim=(1, 2, 3))
    total = p.sum(dim=(1, 2, 3)) + masks.sum(dim=(1, 2, 3))
    return 1 - ((2 * overlap + 1) / (total + 1)).mean()


def _train(setting: Setting) -> None:
    data = shapes(1024, noise=0.6)
    model = _UNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    bce = nn.BCEWithLogitsLoss()
    with setting.watch(model):
        for _ in range(10):
            for index in torch.randperm(1024).split(16):
                images, masks = data.images[index], data.masks[index]
                logits = model(images)
                loss = bce(logits, masks) + _dice_loss(logits, masks)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


PROGRAM = Program(name="unet-dice", train=_train, source="Ronneberger et al. 2015; dice loss of Milletari et al. 2016")
