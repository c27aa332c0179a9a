"""Nuclei by a network with a connection across, trained with cross entropy and overlap together."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import outlines
from evaluation.program import Program, Setting


def _double(inputs: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, padding=1, bias=False),
        nn.GroupNorm(4, outputs),
        nn.ReLU(),
        nn.Conv2d(outputs, outputs, 3, padding=1, bias=False),
        nn.GroupNorm(4, outputs),
        nn.ReLU(),
    )


class NucleiNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.enter, self.low, self.high = _double(1, 12), _double(12, 24), _double(24, 12)
        self.up = nn.ConvTranspose2d(24, 12, 2, stride=2)
        self.out = nn.Conv2d(12, 1, 1)

    def forward(self, image: Tensor) -> Tensor:
        fine = self.enter(image)
        coarse = self.low(nn.functional.max_pool2d(fine, 2))
        return self.out(self.high(torch.cat([fine, self.up(coarse)], dim=1))).squeeze(1)


def _overlap(logits: Tensor, masks: Tensor) -> Tensor:
    share = torch.sigmoid(logits)
    both = (share * masks).sum(dim=(1, 2))
    return (2 * both + 1) / (share.sum(dim=(1, 2)) + masks.sum(dim=(1, 2)) + 1)


def _train(setting: Setting) -> None:
    images, masks = outlines(480)
    images = (images - images.mean()) / images.std()
    model = NucleiNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for epoch in range(5):
            for rows in torch.randperm(480).split(16):
                logits = model(images[rows])
                entropy = nn.functional.binary_cross_entropy_with_logits(logits, masks[rows])
                loss = entropy + 1 - _overlap(logits, masks[rows]).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}, overlap {_overlap(logits, masks[rows]).mean().item():.3f}")


PROGRAM = Program(name="nuclei-by-overlap-and-entropy", train=_train, source="Isensee et al. 2021, nnU-Net")
