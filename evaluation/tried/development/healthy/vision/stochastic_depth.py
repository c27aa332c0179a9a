"""A residual network whose blocks are left out at random while it trains."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import shapes


class _Block(nn.Module):
    def __init__(self, channels: int, survival: float) -> None:
        super().__init__()
        self.survival = survival
        self.body = nn.Sequential(
            nn.Conv2d(channels, channels, 3, padding=1, bias=False),
            nn.BatchNorm2d(channels),
            nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1, bias=False),
            nn.BatchNorm2d(channels),
        )

    def forward(self, x: Tensor) -> Tensor:
        if not self.training:
            return torch.relu(x + self.survival * self.body(x))
        if torch.rand(()) > self.survival:
            return x
        return torch.relu(x + self.body(x))


def _train(setting: Setting) -> None:
    data, test = shapes(2048), shapes(256)
    blocks = [_Block(12, 1 - 0.4 * depth / 4) for depth in range(5)]
    stem = nn.Sequential(nn.Conv2d(1, 12, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(12), nn.ReLU())
    model = nn.Sequential(stem, *blocks, nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(48, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.1, total_steps=640)
    accuracies = []
    with setting.watch(model):
        for _ in range(10):
            model.train()
            for index in torch.randperm(2048).split(32):
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(data.images[index]), data.classes[index])
                loss.backward()
                optimizer.step()
                scheduler.step()
            model.eval()
            with torch.no_grad():
                accuracies.append((model(test.images).argmax(1) == test.classes).float().mean().item())


PROGRAM = Program(name="stochastic-depth", train=_train, source="Huang et al. 2016: deep networks with stochastic depth")
