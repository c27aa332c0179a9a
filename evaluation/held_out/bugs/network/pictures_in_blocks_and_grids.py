"""A small network for photos with normalization layers, whose settings were copied from the first implementation."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import photos
from evaluation.program import Program, Setting, Truth


class MBConv(nn.Module):
    def __init__(self, width: int, momentum: float) -> None:
        super().__init__()
        self.expand = nn.Conv2d(width, 2 * width, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(2 * width, eps=1e-3, momentum=momentum)
        self.depth = nn.Conv2d(2 * width, 2 * width, 3, padding=1, groups=2 * width, bias=False)
        self.norm2 = nn.BatchNorm2d(2 * width, eps=1e-3, momentum=momentum)
        self.project = nn.Conv2d(2 * width, width, 1)

    def forward(self, x: Tensor) -> Tensor:
        h = nn.functional.gelu(self.norm1(self.expand(x)))
        return x + self.project(nn.functional.gelu(self.norm2(self.depth(h))))


class MaxVit(nn.Module):
    def __init__(self, momentum: float) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 4, stride=2, padding=1)
        self.block1 = MBConv(16, momentum)
        self.block2 = MBConv(16, momentum)
        self.head = nn.Linear(16, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.block2(self.block1(self.stem(x))).mean(dim=(2, 3)))


def _train(setting: Setting) -> None:
    images, labels = photos(600)
    images = images / 127.5 - 1 + 0.6 * torch.randn_like(images)
    model = MaxVit(0.1 if setting.is_fixed else 0.99)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(5):
            model.train()
            for rows in torch.randperm(500).split(10):
                loss = nn.functional.cross_entropy(model(images[rows]), labels[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                validation = nn.functional.cross_entropy(model(images[500:]), labels[500:])
            print(f"epoch {epoch}: training {loss.item():.4f}, validation {validation.item():.4f}")


PROGRAM = Program(
    name="pictures-in-blocks-and-grids",
    train=_train,
    source="https://github.com/pytorch/vision/issues/8250",
    truth=Truth(
        rules=("batch-norm-momentum",),
        nodes=("model.block1.norm1", "model.block1.norm2", "model.block2.norm1", "model.block2.norm2", "model.block1", "model.block2"),
    ),
)
