"""The parts of a random split are swapped: the network learns from a thirtieth of the data and is validated on the rest."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import shapes


def _train(setting: Setting) -> None:
    data = shapes(1500, size=12, noise=0.8)
    parts = random_split(TensorDataset(data.images, data.classes), [1450, 50])
    train, test = parts if setting.is_fixed else parts[::-1]
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3, stride=2, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(576, 64), nn.ReLU(), nn.Linear(64, 4)
    )
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    loader, held_out = DataLoader(train, batch_size=16, shuffle=True), DataLoader(test, batch_size=256)
    with setting.watch(model):
        step = 0
        while step < 400:
            model.train()
            for x, y in loader:
                optimizer.zero_grad()
                loss = criterion(model(x), y)
                loss.backward()
                optimizer.step()
                step += 1
            model.eval()
            with torch.no_grad():
                losses = [criterion(model(x), y).item() for x, y in held_out]
            print(f"{step}: {sum(losses) / len(losses):.3f}")


PROGRAM = Program(
    name="parts-of-a-split-swapped",
    train=_train,
    source="questions about random_split and train_test_split whose parts are unpacked in the wrong order",
    truth=Truth(rules=("overfitting",)),
)
