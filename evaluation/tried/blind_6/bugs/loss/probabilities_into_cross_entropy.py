"""The network ends with a softmax, and `CrossEntropyLoss` applies another."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting, Truth


class Net(nn.Module):
    def __init__(self, *, with_softmax: bool) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, padding=1)
        self.conv2 = nn.Conv2d(8, 16, 3, padding=1)
        self.pool = nn.MaxPool2d(2)
        self.fc = nn.Linear(144, 6)
        self.softmax = nn.Softmax(dim=1) if with_softmax else nn.Identity()

    def forward(self, images: Tensor) -> Tensor:
        h = self.pool(torch.relu(self.conv1(images)))
        h = self.pool(torch.relu(self.conv2(h)))
        return self.softmax(self.fc(h.flatten(1)))


def _train(setting: Setting) -> None:
    images, labels = digits()
    images = (images - images.mean()) / images.std()
    model = Net(with_softmax=not setting.is_fixed)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    with setting.watch(model):
        for x, y in batches(200, 32, images, labels):
            loss = criterion(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"accuracy {(model(images).argmax(1) == labels).float().mean():.2f}")


PROGRAM = Program(
    name="probabilities-into-cross-entropy",
    train=_train,
    source="PyTorch forum, softmax before CrossEntropyLoss; Islam et al. 2019",
    truth=Truth(rules=("softmax-before-cross-entropy",), nodes=("model.softmax", "model.softmax: output")),
)
