"""The distance of a pair of equal samples is 0, and the derivative of the square root there is infinite."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


class Distance(nn.Module):
    def __init__(self, epsilon: float) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 8))
        self.epsilon = epsilon

    def forward(self, left: Tensor, right: Tensor) -> Tensor:
        difference = self.encoder(left) - self.encoder(right)
        return torch.sqrt((difference**2).sum(dim=1) + self.epsilon)


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs()
    model = Distance(epsilon=1e-6 if setting.is_fixed else 0.0)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model, sentinels=True):
        for number, (x, y) in enumerate(batches(800, 64, inputs, labels)):
            other, same = x.roll(1, 0), (y == y.roll(1)).float()
            if number >= 150:
                # From now on with hard pairs, some of which are the same sample.
                other = torch.where(torch.rand(64, 1) < 0.05, x, other)
                same = torch.maximum(same, (other == x).all(dim=1).float())
            distance = model(x, other)
            loss = (same * distance**2 + (1 - same) * torch.relu(2 - distance) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="square-root-of-zero",
    train=_train,
    source="torch.autograd.detect_anomaly",
    truth=Truth(rules=("nan-origin",), nodes=("model: output", "model.encoder: output", "model.encoder.2: output"), step=150),
)
