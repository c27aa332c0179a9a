"""The ReLU is made in `__init__` and forgotten in `forward`, so three convolutions follow each other directly."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import shapes


class Net(nn.Module):
    def __init__(self, activation: nn.Module) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, padding=1)
        self.conv2 = nn.Conv2d(8, 8, 3, stride=2, padding=1)
        self.conv3 = nn.Conv2d(8, 16, 3, stride=2, padding=1)
        self.activation = activation
        self.fc = nn.Linear(16 * 9, 4)

    def forward(self, x: Tensor) -> Tensor:
        x = self.activation(self.conv1(x))
        x = self.activation(self.conv2(x))
        x = self.activation(self.conv3(x))
        return self.fc(x.flatten(1))


def _train(setting: Setting) -> None:
    data = shapes(1600, size=12)
    # A leftover of an ablation.
    model = Net(nn.ReLU() if setting.is_fixed else nn.Identity())
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.NAdam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for x, y in batches(600, 32, data.images, data.classes):
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="convolutions-without-activation",
    train=_train,
    source="Humbatova et al. (missing activation), Stack Overflow: a network that is not better than a linear one",
    truth=Truth(
        rules=("linear-after-linear",),
        nodes=("model.conv1", "model.conv2", "model.conv3", "model.conv1: output", "model.conv2: output", "model.activation: output"),
    ),
)
