"""The images come folder by folder, and each folder is a class. The loader does not shuffle."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    images, labels = digits(count=1440)
    order = labels.argsort()
    data = TensorDataset((images[order] - 0.45) / 0.4, labels[order])
    loader = DataLoader(data, batch_size=32, shuffle=setting.is_fixed)
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Conv2d(8, 16, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(144, 6),
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    with setting.watch(model):
        for _ in range(4):
            for x, y in loader:
                loss = F.cross_entropy(model(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        print(f"accuracy {(model((images - 0.45) / 0.4).argmax(1) == labels).float().mean():.2f}")


PROGRAM = Program(
    name="folders-in-order",
    train=_train,
    source="PyTorch forum, ImageFolder without shuffle=True",
    truth=Truth(rules=("batches-not-shuffled",), nodes=("cross_entropy: target",)),
)
