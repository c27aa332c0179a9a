"""Rare pixels are found with the focal loss; the last bias starts so that everything is background, as its authors advise."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting


class Detector(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 12, 5, padding=2)
        self.conv2 = nn.Conv2d(12, 12, 3, padding=1)
        self.out = nn.Conv2d(12, 1, 1)
        self.out.bias = nn.Parameter(torch.full((1,), -4.6))

    def forward(self, x: Tensor) -> Tensor:
        return self.out(torch.relu(self.conv2(torch.relu(self.conv1(x)))))


def _train(setting: Setting) -> None:
    # Bright spots on noise: one pixel in a hundred.
    spots = (torch.rand(800, 1, 14, 14) < 0.01).float()
    blur = torch.tensor([[0.2, 0.5, 0.2], [0.5, 1.0, 0.5], [0.2, 0.5, 0.2]]).view(1, 1, 3, 3)
    images = nn.functional.conv2d(spots, 2 * blur, padding=1) + 0.4 * torch.randn(800, 1, 14, 14)
    model = Detector()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for x, y in batches(450, 16, images, spots):
            logits = model(x)
            plain = nn.functional.binary_cross_entropy_with_logits(logits, y, reduction="none")
            missed = torch.where(y > 0, 1 - torch.sigmoid(logits), torch.sigmoid(logits))
            balance = torch.where(y > 0, 0.75, 0.25)
            loss = (balance * missed**2 * plain).sum() / y.sum().clamp(min=1)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="focal-loss", train=_train, source="Lin et al. 2017", chose_thresholds=True)
