"""A convolutional network returns the result of `torch.softmax`, and is trained with `nn.CrossEntropyLoss`."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting, Truth


class Net(nn.Module):
    def __init__(self, returns_logits: bool) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, padding=1)
        self.conv2 = nn.Conv2d(8, 16, 3, padding=1)
        self.pool = nn.MaxPool2d(2)
        self.head = nn.Linear(16 * 9, 6)
        self.returns_logits = returns_logits

    def forward(self, x: Tensor) -> Tensor:
        x = self.pool(torch.relu(self.conv1(x)))
        x = self.pool(torch.relu(self.conv2(x)))
        logits = self.head(x.flatten(1))
        return logits if self.returns_logits else torch.softmax(logits, dim=1)


def _train(setting: Setting) -> None:
    images, labels = digits()
    model = Net(returns_logits=setting.is_fixed)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for x, y in batches(600, 32, images, labels):
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="softmax-in-cnn",
    train=_train,
    source="Stack Overflow 55675345",
    truth=Truth(rules=("softmax-before-cross-entropy",), nodes=("model: output",)),
)
