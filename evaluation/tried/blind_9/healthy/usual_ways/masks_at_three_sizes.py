"""A U-Net with deep supervision: two inner levels predict smaller masks, with less weight."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import shapes


def conv(inside: int, outside: int) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(inside, outside, 3, padding=1), nn.GroupNorm(4, outside), nn.ReLU())


class DeepUNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.down1, self.down2, self.bottom = conv(1, 8), conv(8, 12), conv(12, 16)
        self.up2, self.up1 = conv(16 + 12, 12), conv(12 + 8, 8)
        self.pool, self.grow = nn.MaxPool2d(2), nn.Upsample(scale_factor=2)
        self.side3, self.side2, self.out = nn.Conv2d(16, 1, 1), nn.Conv2d(12, 1, 1), nn.Conv2d(8, 1, 1)

    def forward(self, image: Tensor) -> list[Tensor]:
        fine = self.down1(image)
        middle = self.down2(self.pool(fine))
        coarse = self.bottom(self.pool(middle))
        middle = self.up2(torch.cat([self.grow(coarse), middle], dim=1))
        fine = self.up1(torch.cat([self.grow(middle), fine], dim=1))
        return [self.out(fine), self.side2(middle), self.side3(coarse)]


def _train(setting: Setting) -> None:
    data = shapes(600, noise=0.5)
    net = DeepUNet()
    optimizer = torch.optim.Adam(net.parameters(), lr=4e-3)
    with setting.watch(net):
        for step in range(80):
            rows = torch.randint(600, (16,))
            wanted = data.masks[rows]
            loss = torch.zeros(())
            for weight, guess in zip((1.0, 0.4, 0.2), net(data.images[rows]), strict=True):
                target = nn.functional.adaptive_avg_pool2d(wanted, guess.shape[-1])
                loss = loss + weight * nn.functional.binary_cross_entropy_with_logits(guess, target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 20 == 19:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(name="masks-at-three-sizes", train=_train, source="Lee et al. 2015, deep supervision; UNet++")
