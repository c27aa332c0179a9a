"""A small U-Net takes noise out of pictures. It predicts what to subtract, and sees each picture with new noise."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import shapes


def double(inside: int, outside: int) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(inside, outside, 3, padding=1), nn.ReLU(), nn.Conv2d(outside, outside, 3, padding=1), nn.ReLU())


class UNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.down1, self.down2 = double(1, 12), double(12, 24)
        self.up = nn.ConvTranspose2d(24, 12, 2, stride=2)
        self.join = double(24, 12)
        self.last = nn.Conv2d(12, 1, 1)

    def forward(self, image: Tensor) -> Tensor:
        fine = self.down1(image)
        coarse = self.down2(nn.functional.max_pool2d(fine, 2))
        return image - self.last(self.join(torch.cat([fine, self.up(coarse)], dim=1)))


def _train(setting: Setting) -> None:
    images = shapes(800, noise=0.02).images
    model = UNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for step in range(90):
            clean = images[torch.randint(800, (16,))]
            loss = nn.functional.l1_loss(model(clean + 0.5 * torch.randn_like(clean)), clean)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            if step % 18 == 17:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(name="scans-cleaned", train=_train, source="Ronneberger et al. 2015 and Zhang et al. 2017, denoising by residual U-Nets")
