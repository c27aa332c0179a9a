"""Garments in the order of the file, which lists all shirts, then all trousers, and so on."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class FashionNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1)
        self.pool = nn.MaxPool2d(2)
        self.fc = nn.Linear(32 * 9, 6)

    def forward(self, x: Tensor) -> Tensor:
        x = self.pool(torch.relu(self.conv1(x)))
        x = self.pool(torch.relu(self.conv2(x)))
        return self.fc(x.flatten(1))


def _train(setting: Setting) -> None:
    images, labels = digits(1500)
    order = labels.argsort()
    train_set = TensorDataset(images[order], labels[order])
    loader = DataLoader(train_set, batch_size=50, shuffle=setting.is_fixed)
    model = FashionNet()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    with setting.watch(model):
        for epoch in range(5):
            for x, y in loader:
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(x), y)
                loss.backward()
                optimizer.step()
            with torch.no_grad():
                accuracy = (model(images).argmax(dim=1) == labels).float().mean()
            print(f"epoch {epoch}: {loss.item():.4f}, accuracy {accuracy.item():.3f}")


PROGRAM = Program(
    name="garments-from-the-first-release",
    train=_train,
    source="https://github.com/zalandoresearch/fashion-mnist/pull/5",
    truth=Truth(
        rules=("batches-not-shuffled", "constant-target"),
        nodes=("cross_entropy: target", "cross_entropy", "model: input", "model: input x", "model.conv1: input"),
    ),
)
