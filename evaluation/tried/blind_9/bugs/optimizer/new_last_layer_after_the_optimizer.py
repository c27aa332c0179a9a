"""The last layer of a loaded network is exchanged for one with as many classes as are needed, after the optimizer was made."""

from __future__ import annotations

import copy

import torch
from torch import Tensor, nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class LeNet(nn.Module):
    def __init__(self, classes: int) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 8, 3), nn.Tanh(), nn.AvgPool2d(2), nn.Conv2d(8, 16, 3), nn.Tanh(), nn.Flatten(), nn.Linear(144, 10), nn.Tanh()
        )
        self.fc = nn.Linear(10, classes)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc(self.features(x))


def fit(net: nn.Module, optimizer: torch.optim.Optimizer, images: Tensor, labels: Tensor, steps: int) -> None:
    for step in range(steps):
        rows = torch.randint(len(images), (40,))
        loss = nn.functional.cross_entropy(net(images[rows]), labels[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 30 == 29:
            print(f"{step}: {loss.item():.3f}")


def _train(setting: Setting) -> None:
    before = LeNet(6)
    fit(before, torch.optim.Adam(before.parameters(), lr=3e-3), *digits(800), steps=90)

    images, labels = digits(900, classes=12)
    net = copy.deepcopy(before)
    early = torch.optim.Adam(net.parameters(), lr=2e-3)
    net.fc = nn.Linear(10, 12)
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3) if setting.is_fixed else early
    with setting.watch(net):
        fit(net, optimizer, images, labels, steps=150)


PROGRAM = Program(
    name="new-last-layer-after-the-optimizer",
    train=_train,
    source="PyTorch forum, replacing model.fc after the optimizer was created",
    truth=Truth(rules=("not-in-optimizer", "never-updated"), nodes=("model.fc", "model.fc.weight", "model.fc.bias")),
)
