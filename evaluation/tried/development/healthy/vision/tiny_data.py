"""Overfitting on purpose: 48 pictures are learned by heart, to see whether the network can."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import shapes


def _train(setting: Setting) -> None:
    data = shapes(48, noise=0.8)
    loader = DataLoader(TensorDataset(data.images, data.classes), batch_size=16, shuffle=True)
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(1024, 64),
        nn.ReLU(),
        nn.Linear(64, 4),
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for _ in range(200):
            for images, classes in loader:
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(images), classes)
                loss.backward()
                optimizer.step()


PROGRAM = Program(
    name="tiny-data", train=_train, source="Karpathy 2019, a recipe for training neural networks: overfit a few examples first"
)
