"""A folder of images is read class by class, and the loader does not shuffle."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    images, labels = digits(1920)
    order = labels.argsort(stable=True)
    loader = DataLoader(TensorDataset(images[order], labels[order]), batch_size=32, shuffle=setting.is_fixed)
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Conv2d(8, 16, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(144, 6),
    )
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for _ in range(10):
            for x, y in loader:
                optimizer.zero_grad()
                loss = criterion(model(x), y)
                loss.backward()
                optimizer.step()


PROGRAM = Program(
    name="folder-of-images-not-shuffled",
    train=_train,
    source="PyTorch forum, ImageFolder without shuffle=True",
    truth=Truth(rules=("batches-not-shuffled",)),
)
