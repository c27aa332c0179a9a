"""Textures by a residual network with batch normalization, and momentum with a cycle of the rate."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import photos
from evaluation.program import Program, Setting


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)

    def forward(self, x: Tensor) -> Tensor:
        h = torch.relu(self.bn1(self.conv1(x)))
        return torch.relu(x + self.bn2(self.conv2(h)))


def _train(setting: Setting) -> None:
    images, labels = photos(900, classes=6)
    images = (images - images.mean(dim=(0, 2, 3), keepdim=True)) / images.std(dim=(0, 2, 3), keepdim=True)
    stem = nn.Sequential(nn.Conv2d(3, 16, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU())
    model = nn.Sequential(stem, Block(16), Block(16), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 6))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.1, total_steps=5 * 25)
    with setting.watch(model):
        for epoch in range(5):
            model.train()
            for rows in torch.randperm(800).split(32):
                loss = nn.functional.cross_entropy(model(images[rows]), labels[rows])
                optimizer.zero_grad(set_to_none=True)
                loss.backward()
                optimizer.step()
                scheduler.step()
            model.eval()
            with torch.no_grad():
                right = (model(images[800:]).argmax(dim=1) == labels[800:]).float().mean()
            print(f"epoch {epoch}: {loss.item():.4f}, right {right.item():.3f}")


PROGRAM = Program(name="textures-with-a-single-cycle", train=_train, source="Smith and Topin 2018, super-convergence")
