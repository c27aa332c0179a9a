"""The convolutions and layers follow each other with nothing but pooling between them."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class LeNet5(nn.Module):
    def __init__(self, act: type[nn.Module]) -> None:
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 6, 3), act(), nn.AvgPool2d(2), nn.Conv2d(6, 16, 3), act())
        self.classifier = nn.Sequential(nn.Linear(144, 60), act(), nn.Linear(60, 42), act(), nn.Linear(42, 6))

    def forward(self, x: Tensor) -> Tensor:
        return self.classifier(torch.flatten(self.features(x), 1))


def _train(setting: Setting) -> None:
    images, labels = digits(2000)
    on_dark = torch.rand(2000, 1, 1, 1) < 0.5
    images = torch.where(on_dark, 1 - images, images)
    model = LeNet5(nn.ReLU if setting.is_fixed else nn.Identity)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(7):
            for rows in torch.randperm(2000).split(50):
                logits = model(images[rows])
                cost = nn.functional.cross_entropy(logits, labels[rows])
                optimizer.zero_grad()
                cost.backward()
                optimizer.step()
            print(f"Epoch: {epoch} Cost: {cost.item():.4f}")


PROGRAM = Program(
    name="lenet-without-activations",
    train=_train,
    source="https://github.com/rasbt/deeplearning-models/issues/38",
    truth=Truth(
        rules=("linear-after-linear", "loss-does-not-fall", "predictions-ignore-input"), nodes=("model.features", "model.classifier")
    ),
)
