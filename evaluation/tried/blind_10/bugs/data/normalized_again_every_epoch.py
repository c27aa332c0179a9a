"""A data set normalizes in place what it stores, so each epoch normalizes the pictures of the epoch before once more."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class Plates(Dataset[tuple[Tensor, Tensor]]):
    def __init__(self, images: Tensor, labels: Tensor, copy: bool) -> None:
        self.images = images
        self.labels = labels
        self.copy = copy
        self.mean, self.std = images.mean(), images.std()

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        image = self.images[index]
        if self.copy:
            image = image.clone()
        image -= self.mean
        image /= self.std
        return image, self.labels[index]


def _train(setting: Setting) -> None:
    images, labels = digits(900)
    loader = DataLoader(Plates(images, labels, copy=setting.is_fixed), batch_size=30, shuffle=True)
    net = nn.Sequential(nn.Conv2d(1, 16, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(400, 6))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.03, momentum=0.9)
    criterion = nn.CrossEntropyLoss()
    with setting.watch(net):
        for epoch in range(5):
            total = 0.0
            for image, label in loader:
                optimizer.zero_grad()
                loss = criterion(net(image), label)
                loss.backward()
                optimizer.step()
                total += loss.item()
            print(f"epoch {epoch}: {total / len(loader):.3f}")


PROGRAM = Program(
    name="normalized-again-every-epoch",
    train=_train,
    source="GitHub issues on data sets that transform their stored images in place",
    truth=Truth(
        rules=(
            "input-not-normalized",
            "runaway-growth",
            "diverging-loss",
            "updates-too-large",
            "near-overflow",
            "exploding-gradient",
            "gradient-spike",
            "dead-relu",
        ),
        nodes=("model: input", "model: input input", *(f"model.{layer}{part}" for layer in (0, 1, 2, 4) for part in ("", ": output"))),
        step=30,
    ),
)
