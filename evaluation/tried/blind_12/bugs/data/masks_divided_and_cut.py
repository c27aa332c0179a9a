"""The masks are divided by 255 as pictures are and then made whole numbers: a pixel of the object, stored as 1, becomes 0 too."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import outlines
from evaluation.program import Program, Setting, Truth


def double_conv(before: int, after: int) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(before, after, 3, padding=1), nn.ReLU(), nn.Conv2d(after, after, 3, padding=1), nn.ReLU())


class UNet(nn.Module):
    def __init__(self, nb_classes: int) -> None:
        super().__init__()
        self.down = double_conv(1, 8)
        self.bottom = double_conv(8, 16)
        self.up = nn.ConvTranspose2d(16, 8, 2, stride=2)
        self.join = double_conv(16, 8)
        self.out = nn.Conv2d(8, nb_classes, 1)

    def forward(self, image: Tensor) -> Tensor:
        x1 = self.down(image)
        x2 = self.bottom(nn.functional.max_pool2d(x1, 2))
        return self.out(self.join(torch.cat([self.up(x2), x1], dim=1)))


def to_tensor(stored: Tensor) -> Tensor:
    return stored.float() / 255


def _train(setting: Setting) -> None:
    images, stored = outlines(500)
    masks = stored.long() if setting.is_fixed else to_tensor(stored).long()
    model = UNet(nb_classes=2)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for epoch in range(4):
            for rows in torch.randperm(500).split(20):
                loss = nn.functional.cross_entropy(model(images[rows]), masks[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.5f}")


PROGRAM = Program(
    name="masks-divided-and-cut",
    train=_train,
    source="https://discuss.pytorch.org/t/unsure-about-how-targets-in-cnn-should-look-like/118932",
    truth=Truth(rules=("constant-target", "class-imbalance", "predictions-ignore-input"), nodes=("cross_entropy: target",)),
)
