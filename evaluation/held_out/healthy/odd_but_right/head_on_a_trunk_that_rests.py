"""A trunk that was trained on other pictures stays as it is, with its statistics. Only a new head learns."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting


class Classifier(nn.Module):
    def __init__(self, trunk: nn.Module, classes: int) -> None:
        super().__init__()
        self.trunk = trunk
        self.head = nn.Sequential(nn.Linear(96, 48), nn.ReLU(), nn.Linear(48, classes))

    def train(self, mode: bool = True) -> Classifier:
        super().train(mode)
        self.trunk.eval()
        return self

    def forward(self, images: Tensor) -> Tensor:
        with torch.no_grad():
            features = self.trunk(images)
        return self.head(features)


def _trunk() -> nn.Module:
    images, labels = digits(1500, classes=12)
    trunk = nn.Sequential(nn.Flatten(), nn.Linear(144, 128), nn.BatchNorm1d(128), nn.ReLU(), nn.Linear(128, 96), nn.ReLU())
    whole = nn.Sequential(trunk, nn.Linear(96, 12))
    optimizer = torch.optim.Adam(whole.parameters(), lr=2e-3)
    for _ in range(5):
        for rows in torch.randperm(1500).split(50):
            loss = nn.functional.cross_entropy(whole(images[rows]), labels[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return trunk.requires_grad_(False)


def _train(setting: Setting) -> None:
    model = Classifier(_trunk(), 5)
    images, labels = digits(1200, classes=5)
    optimizer = torch.optim.Adam(model.head.parameters(), lr=3e-3)
    with setting.watch(model):
        for epoch in range(5):
            model.train()
            for rows in torch.randperm(1000).split(40):
                loss = nn.functional.cross_entropy(model(images[rows]), labels[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                right = (model(images[1000:]).argmax(dim=1) == labels[1000:]).float().mean()
            print(f"epoch {epoch}: {loss.item():.4f}, right {right.item():.3f}")


PROGRAM = Program(name="head-on-a-trunk-that-rests", train=_train, source="PyTorch tutorial, transfer learning with a fixed extractor")
