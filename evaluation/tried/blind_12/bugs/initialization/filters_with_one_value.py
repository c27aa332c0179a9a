"""Each layer is filled with one constant: all its filters compute the same, and they stay the same."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class ConvNet(nn.Module):
    def __init__(self, value: float | None) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 5, padding=2)
        self.conv2 = nn.Conv2d(8, 16, 5, padding=2)
        self.fc = nn.Linear(16 * 9, 6)
        if value is not None:
            for layer in (self.conv1, self.conv2, self.fc):
                nn.init.constant_(layer.weight, value)

    def forward(self, x: Tensor) -> Tensor:
        x = nn.functional.max_pool2d(torch.relu(self.conv1(x)), 2)
        x = nn.functional.max_pool2d(torch.relu(self.conv2(x)), 2)
        return self.fc(x.flatten(1))


def _train(setting: Setting) -> None:
    images, labels = digits(1200)
    model = ConvNet(None if setting.is_fixed else 0.02)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    criterion = nn.CrossEntropyLoss()
    with setting.watch(model):
        for epoch in range(6):
            for rows in torch.randperm(1200).split(48):
                optimizer.zero_grad()
                loss = criterion(model(images[rows]), labels[rows])
                loss.backward()
                optimizer.step()
            print(f"{epoch} {loss.item():.4f}")


PROGRAM = Program(
    name="filters-with-one-value",
    train=_train,
    source="https://pages.dogdog.run/machine_learning/weight_initialization.html",
    truth=Truth(rules=("equal-weights", "rank-collapse")),
)
