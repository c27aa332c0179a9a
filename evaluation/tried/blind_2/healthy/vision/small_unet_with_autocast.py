"""A U-Net with BatchNorm under autocast to bfloat16, for masks of shapes."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import shapes


def double(inputs: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, padding=1, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(inplace=True),
        nn.Conv2d(outputs, outputs, 3, padding=1),
        nn.ReLU(),
    )


class Unet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.enc1, self.enc2, self.bottom = double(1, 8), double(8, 16), double(16, 24)
        self.up2, self.up1 = nn.ConvTranspose2d(24, 16, 2, stride=2), nn.ConvTranspose2d(16, 8, 2, stride=2)
        self.dec2, self.dec1 = double(32, 16), double(16, 8)
        self.out = nn.Conv2d(8, 1, 1)

    def forward(self, x: Tensor) -> Tensor:
        a = self.enc1(x)
        b = self.enc2(nn.functional.max_pool2d(a, 2))
        c = self.bottom(nn.functional.max_pool2d(b, 2))
        d = self.dec2(torch.cat([self.up2(c), b], dim=1))
        return self.out(self.dec1(torch.cat([self.up1(d), a], dim=1)))


def _train(setting: Setting) -> None:
    pictures = shapes(320, size=12, noise=0.6)
    model = Unet()
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for step, (image, mask) in enumerate(batches(90, 16, pictures.images, pictures.masks)):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                logits = model(image)
            loss = nn.functional.binary_cross_entropy_with_logits(logits.float(), mask)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 30 == 0:
                print(step, loss.item())


PROGRAM = Program(name="small-unet-with-autocast", train=_train, source="Ronneberger et al. 2015 (U-Net), mixed precision on the CPU")
