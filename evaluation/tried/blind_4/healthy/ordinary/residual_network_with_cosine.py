"""A small residual network is trained by SGD with momentum, weight decay and a cosine schedule."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting


class _Residual(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels)

    def forward(self, x: Tensor) -> Tensor:
        y = torch.relu(self.bn1(self.conv1(x)))
        return torch.relu(x + self.bn2(self.conv2(y)))


def _train(setting: Setting) -> None:
    textures = torch.randn(6, 1, 10, 10)
    labels = torch.randint(0, 6, (800,))
    images = textures[labels] + torch.randn(800, 1, 10, 10)
    loader = DataLoader(TensorDataset(images[:640], labels[:640]), batch_size=32, shuffle=True)
    model = nn.Sequential(
        nn.Conv2d(1, 12, 3, padding=1), _Residual(12), nn.MaxPool2d(2), _Residual(12), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        nn.Linear(12, 6),
    )  # fmt: skip
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=14)
    with setting.watch(model):
        for _ in range(14):
            model.train()
            for x, y in loader:
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(x), y)
                loss.backward()
                optimizer.step()
            scheduler.step()
    model.eval()
    with torch.no_grad():
        print("accuracy", (model(images[640:]).argmax(1) == labels[640:]).float().mean().item())


PROGRAM = Program(name="residual-network-with-cosine", train=_train, source="He et al. 2016, with the usual settings for CIFAR-10")
