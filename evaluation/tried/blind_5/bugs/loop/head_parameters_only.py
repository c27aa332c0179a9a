"""The optimizer of a network that starts from nothing is given the parameters of its head only."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class _Signs(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(3), nn.Conv2d(8, 8, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1)
        )
        self.head = nn.Linear(8, 6)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.features(x).flatten(1))


def _train(setting: Setting) -> None:
    images, labels = digits()
    images = (images - images.mean()) / images.std()
    model = _Signs()
    optimizer = torch.optim.Adam(model.parameters() if setting.is_fixed else model.head.parameters(), lr=1e-2)
    with setting.watch(model):
        for epoch in range(8):
            for chosen in torch.randperm(1500).split(50):
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(images[chosen]), labels[chosen])
                loss.backward()
                optimizer.step()
            print(epoch, loss.item())


PROGRAM = Program(
    name="head-parameters-only",
    train=_train,
    source="PyTorch forum: some layers do not train, the optimizer holds only a part of the parameters",
    truth=Truth(
        rules=(
            "not-in-optimizer",
            "never-updated",
            "gradients-left-over",
            "frozen-as-initialized",
            "loss-does-not-fall",
            "exploding-gradient",
            "predictions-ignore-input",
        ),
        nodes=("model.features", "model.features.0", "model.features.3"),
    ),
)
