"""A trunk that has learned to tell patterns gets new top layers for other patterns, and the first layers are frozen."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class Inception(nn.Module):
    def __init__(self, classes: int) -> None:
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 3), nn.ReLU())
        self.top = nn.Linear(32 * 16, 64)
        self.predictions = nn.Linear(64, classes)

    def forward(self, x: Tensor) -> Tensor:
        return self.predictions(torch.relu(self.top(self.features(x).flatten(1))))


def _fit(model: nn.Module, images: Tensor, labels: Tensor, epochs: int) -> None:
    trainable = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.Adam(trainable, lr=2e-3)
    for epoch in range(epochs):
        for rows in torch.randperm(len(images)).split(40):
            loss = nn.functional.cross_entropy(model(images[rows]), labels[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: {loss.item():.4f}")


def _train(setting: Setting) -> None:
    images, labels = digits(1000)
    model = Inception(6)
    _fit(model, images, labels, epochs=2)
    new_images, new_labels = digits(1000, classes=8)
    model.top, model.predictions = nn.Linear(32 * 16, 64), nn.Linear(64, 8)
    frozen = [model.features] if setting.is_fixed else [model.features, model.top]
    for part in frozen:
        part.requires_grad_(False)
    with setting.watch(model):
        _fit(model, new_images, new_labels, epochs=5)


PROGRAM = Program(
    name="new-top-layers-for-videos",
    train=_train,
    source="https://github.com/harvitronix/five-video-classification-methods/pull/26",
    truth=Truth(
        rules=("frozen-as-initialized", "no-gradient"),
        nodes=("model.top", "model.top.weight", "model.top.bias"),
    ),
)
