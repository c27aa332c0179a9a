"""A convolutional network with batch norm, evaluated after every epoch."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import shapes


class _Network(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 8, 3, padding=1),
            nn.BatchNorm2d(8),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(8, 16, 3, padding=1),
            nn.BatchNorm2d(16),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d(2),
        )
        self.head = nn.Linear(64, 4)

    def forward(self, images: Tensor) -> Tensor:
        return self.head(self.features(images).flatten(1))


def _train(setting: Setting) -> None:
    training, test = shapes(2048), shapes(512)
    loader = DataLoader(TensorDataset(training.images, training.classes), batch_size=32, shuffle=True)
    model = _Network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9, weight_decay=5e-4)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=5, gamma=0.2)
    accuracies = []
    with setting.watch(model):
        for _ in range(12):
            model.train()
            for images, classes in loader:
                loss = nn.functional.cross_entropy(model(images), classes)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            scheduler.step()
            model.eval()
            with torch.no_grad():
                accuracies.append((model(test.images).argmax(1) == test.classes).float().mean().item())


PROGRAM = Program(name="cnn-batch-norm", train=_train, source="Ioffe and Szegedy 2015, on drawn shapes")
