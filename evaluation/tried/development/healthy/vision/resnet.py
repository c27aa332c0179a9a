"""A residual network whose branches start at zero, with momentum and a cosine schedule."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import shapes


class _Block(nn.Module):
    def __init__(self, channels_in: int, channels: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels_in, channels, 3, stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels)
        self.shortcut = nn.Sequential()
        if stride != 1 or channels_in != channels:
            self.shortcut = nn.Sequential(nn.Conv2d(channels_in, channels, 1, stride, bias=False), nn.BatchNorm2d(channels))
        nn.init.zeros_(self.bn2.weight)

    def forward(self, x: Tensor) -> Tensor:
        out = nn.functional.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        return nn.functional.relu(out + self.shortcut(x))


class _ResNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU())
        self.layers = nn.Sequential(_Block(8, 8, 1), _Block(8, 16, 2), _Block(16, 32, 2))
        self.fc = nn.Linear(32, 4)

    def forward(self, x: Tensor) -> Tensor:
        x = self.layers(self.stem(x))
        return self.fc(x.mean(dim=(2, 3)))


def _train(setting: Setting) -> None:
    data = shapes(4096)
    model = _ResNet()
    steps = 600
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, nesterov=True, weight_decay=1e-4)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    with setting.watch(model):
        for _ in range(steps):
            index = torch.randint(4096, (16,))
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(data.images[index]), data.classes[index])
            loss.backward()
            optimizer.step()
            scheduler.step()


PROGRAM = Program(name="resnet", train=_train, source="He et al. 2016; zero-initialised last batch norm of Goyal et al. 2017")
