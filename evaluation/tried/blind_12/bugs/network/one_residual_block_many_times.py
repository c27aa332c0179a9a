"""A list with one block is multiplied: all layers of the stack are the same block."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class Residual(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1)
        self.conv2 = nn.Conv2d(channels, channels, 1)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.conv2(torch.relu(self.conv1(torch.relu(x))))


class ResidualStack(nn.Module):
    def __init__(self, channels: int, count: int, copies: bool) -> None:
        super().__init__()
        self.stem = nn.Conv2d(1, channels, 3, stride=2, padding=1)
        self.layers = nn.ModuleList([Residual(channels) for _ in range(count)] if copies else [Residual(channels)] * count)
        self.head = nn.Linear(channels * 36, 6)

    def forward(self, x: Tensor) -> Tensor:
        x = self.stem(x)
        for layer in self.layers:
            x = layer(x)
        return self.head(torch.relu(x).flatten(1))


def _train(setting: Setting) -> None:
    images, labels = digits(1000)
    model = ResidualStack(12, 4, copies=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(5):
            for rows in torch.randperm(1000).split(40):
                loss = nn.functional.cross_entropy(model(images[rows]), labels[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="one-residual-block-many-times",
    train=_train,
    source="https://github.com/zalandoresearch/pytorch-vq-vae/issues/2",
    truth=Truth(rules=("tied-parameters",), nodes=("model.layers",)),
)
