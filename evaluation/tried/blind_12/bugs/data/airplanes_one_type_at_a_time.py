"""The files lie sorted by the type of airplane, and the loader does not shuffle: each batch holds one or two types."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.everyday import photos
from evaluation.program import Program, Setting, Truth


class AirplaneNet(nn.Module):
    def __init__(self, types: int) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 12, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(12, 24, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(2)
        )
        self.classifier = nn.Linear(96, types)

    def forward(self, image: Tensor) -> Tensor:
        return self.classifier(self.features(image).flatten(1))


def _train(setting: Setting) -> None:
    images, types = photos(1000, classes=5)
    images = (images - 128) / 64
    files = torch.argsort(types)
    dataset = TensorDataset(images[files], types[files])
    train_loader = DataLoader(dataset, batch_size=40, shuffle=setting.is_fixed)
    model = AirplaneNet(5)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    criterion = nn.CrossEntropyLoss()
    with setting.watch(model):
        for epoch in range(6):
            correct = 0
            for image, kind in train_loader:
                logits = model(image)
                loss = criterion(logits, kind)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                correct += int((logits.argmax(dim=1) == kind).sum())
            print(f"epoch {epoch}: loss {loss.item():.3f}, accuracy {correct / len(dataset):.2f}")


PROGRAM = Program(
    name="airplanes-one-type-at-a-time",
    train=_train,
    source="https://github.com/pytorch/vision/issues/7818",
    truth=Truth(
        rules=("batches-not-shuffled", "constant-target", "class-imbalance", "oscillating-loss"),
        nodes=("model: input image", "cross_entropy: target"),
    ),
)
