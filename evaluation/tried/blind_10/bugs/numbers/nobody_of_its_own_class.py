"""A contrastive loss averages over others of the same class. In step 52 a picture is the only one of its class: zero by zero."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 16, 5, stride=2)
        self.fc1 = nn.Linear(256, 64)
        self.fc2 = nn.Linear(64, 16)

    def forward(self, image: Tensor) -> Tensor:
        x = torch.relu(self.conv(image)).flatten(1)
        return nn.functional.normalize(self.fc2(torch.relu(self.fc1(x))), dim=1)


def supervised_contrast(features: Tensor, labels: Tensor, at_least: float, temperature: float = 0.2) -> Tensor:
    own = torch.eye(len(labels), dtype=torch.bool)
    same = (labels[:, None] == labels) & ~own
    log_chance = (features @ features.T / temperature).masked_fill(own, -1e9).log_softmax(dim=1)
    per_sample = (log_chance * same).sum(dim=1) / same.sum(dim=1).clamp(min=at_least)
    return -per_sample.mean()


def _train(setting: Setting) -> None:
    images, labels = digits(4000, classes=5)
    # Four of each class in every batch of 20, but for a batch with a stray picture of a sixth class.
    order = torch.stack([(labels == c).nonzero().squeeze(1)[:480] for c in range(5)], dim=1).view(120, 20)
    labels[order[52, 7]] = 5
    encoder = Encoder()
    optimizer = torch.optim.Adam(encoder.parameters(), lr=2e-3)
    at_least = 1.0 if setting.is_fixed else 0.0
    with setting.watch(encoder):
        for step, rows in enumerate(order):
            loss = supervised_contrast(encoder(images[rows]), labels[rows], at_least)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 24 == 23:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(
    name="nobody-of-its-own-class",
    train=_train,
    source="GitHub issues on supervised contrastive losses that are NaN without a positive",
    truth=Truth(rules=("nan-origin",), nodes=("div", "div (2)", "mean", "neg"), step=52),
)
