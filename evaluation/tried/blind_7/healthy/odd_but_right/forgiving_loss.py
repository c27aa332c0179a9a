"""A third of the labels is wrong, and a generalized cross entropy forgives it."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting


class GeneralizedCrossEntropy(nn.Module):
    def __init__(self, q: float = 0.7) -> None:
        super().__init__()
        self.q = q

    def forward(self, scores: Tensor, labels: Tensor) -> Tensor:
        p = scores.softmax(dim=1).gather(1, labels[:, None]).clamp(min=1e-6)
        return ((1 - p**self.q) / self.q).mean()


def _train(setting: Setting) -> None:
    images, labels = digits(1200)
    noisy = torch.where(torch.rand(1200) < 0.33, torch.randint(6, (1200,)), labels)
    net = nn.Sequential(nn.Conv2d(1, 10, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(10, 16, 3), nn.ReLU(), nn.Flatten(), nn.Linear(144, 6))
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    criterion = GeneralizedCrossEntropy()
    with setting.watch(net):
        for x, y in batches(250, 40, images, noisy):
            loss = criterion(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print((net(images).argmax(1) == labels).float().mean().item())


PROGRAM = Program(name="forgiving-loss", train=_train, source="Zhang and Sabuncu 2018")
