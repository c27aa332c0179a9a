"""Cells are separated from their background. The masks are read from pictures with grey levels."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import outlines
from evaluation.program import Program, Setting, Truth


class UNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inc = nn.Sequential(nn.Conv2d(1, 12, 3, padding=1), nn.BatchNorm2d(12), nn.ReLU())
        self.down = nn.Sequential(nn.MaxPool2d(2), nn.Conv2d(12, 24, 3, padding=1), nn.BatchNorm2d(24), nn.ReLU())
        self.up = nn.ConvTranspose2d(24, 12, 2, stride=2)
        self.outc = nn.Conv2d(24, 1, 1)

    def forward(self, x: Tensor) -> Tensor:
        high = self.inc(x)
        low = self.up(self.down(high))
        return self.outc(torch.cat([high, low], dim=1))


def _train(setting: Setting) -> None:
    images, masks = outlines(480)
    grey = (255 * masks).to(torch.uint8)
    true_masks = grey.float() / (255 if setting.is_fixed else 1)
    net = UNet()
    optimizer = torch.optim.RMSprop(net.parameters(), lr=1e-3)
    criterion = nn.BCEWithLogitsLoss()
    with setting.watch(net):
        for epoch in range(4):
            for rows in torch.randperm(480).split(16):
                masks_pred = net(images[rows])
                loss = criterion(masks_pred, true_masks[rows, None])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: loss {loss.item():.4f}")


PROGRAM = Program(
    name="cells-with-a-png-mask",
    train=_train,
    source="https://github.com/milesial/Pytorch-UNet/issues/78",
    truth=Truth(
        rules=("target-out-of-range", "negative-loss"),
        nodes=(
            "binary_cross_entropy_with_logits: target",
            "binary_cross_entropy_with_logits",
            "model: output",
            "model.outc",
        ),
    ),
)
