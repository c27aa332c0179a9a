"""The images are shuffled before training and the labels are not: each image has the label of another one."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class _Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 10, 3, padding=1)
        self.norm = nn.BatchNorm2d(10)
        self.fc = nn.Linear(10 * 16, 5)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc(nn.functional.max_pool2d(torch.relu(self.norm(self.conv(x))), 3).flatten(1))


def _train(setting: Setting) -> None:
    images, labels = digits(count=2400, classes=5)
    images = (images - images.mean()) / images.std()
    order = torch.randperm(len(images))
    images = images[order]
    if setting.is_fixed:
        labels = labels[order]
    model = _Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    with setting.watch(model):
        for epoch in range(4):
            for chosen in torch.randperm(2400).split(32):
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(images[chosen]), labels[chosen])
                loss.backward()
                optimizer.step()
            print(epoch, loss.item())


PROGRAM = Program(
    name="labels-of-another-order",
    train=_train,
    source="Humbatova et al. 2020: wrong labels of the training data; StackOverflow, shuffling images and labels apart",
    truth=Truth(rules=("loss-does-not-fall", "predictions-ignore-input", "overfitting")),
)
