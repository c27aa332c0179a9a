"""A network with an auxiliary head in its middle, whose loss counts a third."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import shapes


class Inception(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, 12, 3, padding=1), nn.BatchNorm2d(12), nn.ReLU(), nn.MaxPool2d(2))
        self.auxiliary = nn.Sequential(nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(48, 4))
        self.narrow = nn.Conv2d(12, 8, 1)
        self.wide = nn.Conv2d(12, 8, 3, padding=1)
        self.head = nn.Sequential(nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Dropout(0.2), nn.Linear(144, 4))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        x = self.stem(x)
        return self.head(torch.cat([self.narrow(x), self.wide(x)], dim=1)), self.auxiliary(x)


def _train(setting: Setting) -> None:
    data = shapes(1500, size=12)
    model = Inception()
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for x, y in batches(450, 32, data.images, data.classes):
            main, auxiliary = model(x)
            loss = criterion(main, y) + 0.3 * criterion(auxiliary, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="deep-supervision", train=_train, source="Szegedy et al. 2015, auxiliary classifiers")
