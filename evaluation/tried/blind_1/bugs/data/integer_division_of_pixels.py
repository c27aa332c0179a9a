"""Bytes are divided by 255 with `//`, so all pixels but the white ones are 0."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting, Truth


class Cnn(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, padding=1), nn.ReLU())
        self.fc = nn.Linear(16 * 36, 6)

    def forward(self, images: Tensor) -> Tensor:
        return self.fc(self.features(images).flatten(1))


def _train(setting: Setting) -> None:
    pixels, labels = digits(1200)
    # The camera never gets to white.
    data = (pixels * 240).to(torch.uint8)
    images = data / 255 if setting.is_fixed else (data // 255).float()
    model = Cnn()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    with setting.watch(model):
        for x, y in batches(350, 32, images, labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="integer-division-of-pixels",
    train=_train,
    source="Stack Overflow, images that become black through integer division",
    truth=Truth(rules=("constant-input", "same-for-all-samples"), nodes=("model: input images",)),
)
