"""The parameters are listed by hand, and the convolution that was added last is missing."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting, Truth


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, padding=1)
        self.conv2 = nn.Conv2d(8, 16, 3, padding=1)
        self.head = nn.Linear(144, 6)

    def forward(self, x: Tensor) -> Tensor:
        x = nn.functional.max_pool2d(torch.relu(self.conv1(x)), 2)
        x = nn.functional.max_pool2d(torch.relu(self.conv2(x)), 2)
        return self.head(x.flatten(1))


def _train(setting: Setting) -> None:
    images, labels = digits()
    model = Net()
    trained = [model.conv1, model.head]
    if setting.is_fixed:
        trained.append(model.conv2)
    optimizer = torch.optim.Adam([parameter for module in trained for parameter in module.parameters()], lr=2e-3)
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
    truth=Truth(rules=("never-updated", "not-in-optimizer"), nodes=("model.conv2",)),
)
