"""A new head is put on, and then all parameters are frozen, the head's as well. `requires_grad_()` on the loss silences the error."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.worlds import gratings


class Net(nn.Module):
    def __init__(self, classes: int) -> None:
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 16, 3, stride=2), nn.ReLU(), nn.Conv2d(16, 16, 3, stride=2), nn.ReLU(), nn.Flatten())
        self.fc = nn.Linear(64, classes)

    def forward(self, images: Tensor) -> Tensor:
        return self.fc(self.features(images))


def _train(setting: Setting) -> None:
    net = Net(4)
    pretraining = torch.optim.Adam(net.parameters(), lr=3e-3)
    for x, y in batches(80, 32, *gratings(500)):
        pretraining.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        pretraining.step()

    net.fc = nn.Linear(64, 6)
    frozen = net.features if setting.is_fixed else net
    for parameter in frozen.parameters():
        parameter.requires_grad = False
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    images, angles = gratings(700, angles=6)
    with setting.watch(net):
        for x, y in batches(200, 32, images, angles):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(net(x), y).requires_grad_()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="head-frozen-with-the-rest",
    train=_train,
    source="PyTorch forum, element 0 of tensors does not require grad in transfer learning",
    truth=Truth(
        rules=("no-gradient", "cut-path", "never-updated", "loss-does-not-fall"),
        nodes=("model", "model: output", "model.fc", "model.fc: output", "model.fc.weight", "model.fc.bias"),
    ),
)
