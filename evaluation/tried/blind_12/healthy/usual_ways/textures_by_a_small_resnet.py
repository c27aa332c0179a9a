"""Pictures of textures by a residual network, with momentum, a decay of the weights and a cosine schedule."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import photos
from evaluation.program import Program, Setting


class Block(nn.Module):
    def __init__(self, before: int, after: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(before, after, 3, stride=2, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(after)
        self.conv2 = nn.Conv2d(after, after, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(after)
        self.short = nn.Conv2d(before, after, 1, stride=2, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        branch = self.bn2(self.conv2(torch.relu(self.bn1(self.conv1(x)))))
        return torch.relu(branch + self.short(x))


def _train(setting: Setting) -> None:
    pixels, labels = photos(1000, classes=6)
    images = pixels / 255
    images = (images - images.mean(dim=(0, 2, 3), keepdim=True)) / images.std(dim=(0, 2, 3), keepdim=True)
    model = nn.Sequential(
        nn.Conv2d(3, 12, 3, padding=1), nn.ReLU(), Block(12, 24), Block(24, 32), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 6)
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4, nesterov=True)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 5)
    with setting.watch(model):
        for epoch in range(5):
            model.train()
            for rows in torch.randperm(800).split(32):
                loss = nn.functional.cross_entropy(model(images[rows]), labels[rows], label_smoothing=0.05)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            scheduler.step()
            model.eval()
            with torch.no_grad():
                right = (model(images[800:]).argmax(dim=1) == labels[800:]).float().mean()
            print(f"epoch {epoch}: {loss.item():.4f}, right {right.item():.3f}")


PROGRAM = Program(name="textures-by-a-small-resnet", train=_train, source="He et al. 2016, deep residual learning")
