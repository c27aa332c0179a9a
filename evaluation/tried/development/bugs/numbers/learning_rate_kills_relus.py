"""A learning rate of 8 pushes all ReLUs of a convolutional network into the negative in the first steps."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting, Truth


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.relu1 = nn.Conv2d(1, 8, 3, padding=1), nn.ReLU()
        self.conv2, self.relu2 = nn.Conv2d(8, 16, 3, padding=1), nn.ReLU()
        self.head = nn.Linear(144, 6)

    def forward(self, x: Tensor) -> Tensor:
        x = nn.functional.max_pool2d(self.relu1(self.conv1(x)), 2)
        x = nn.functional.max_pool2d(self.relu2(self.conv2(x)), 2)
        return self.head(x.flatten(1))


def _train(setting: Setting) -> None:
    images, labels = digits()
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1 if setting.is_fixed else 8.0)
    with setting.watch(model):
        for x, y in batches(600, 32, images, labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="learning-rate-kills-relus",
    train=_train,
    source="AUTOTRAINER (dying ReLU)",
    truth=Truth(rules=("updates-too-large", "dead-relu")),
)
