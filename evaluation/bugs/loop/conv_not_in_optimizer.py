"""The optimizer gets the parameters of the head alone; the convolutions were meant to be trained too."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting, Truth


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)
        )
        self.head = nn.Linear(144, 6)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.features(x).flatten(1))


def _train(setting: Setting) -> None:
    images, labels = digits()
    model = Net()
    parameters = model.parameters() if setting.is_fixed else model.head.parameters()
    optimizer = torch.optim.Adam(parameters, lr=2e-3)
    with setting.watch(model):
        for x, y in batches(600, 32, images, labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="conv-not-in-optimizer",
    train=_train,
    source="TrainCheck, mmpretrain 702",
    truth=Truth(rules=("never-updated", "not-in-optimizer"), nodes=("model.features.0", "model.features.3")),
)
