"""A network with tens of thousands of weights learns sixty noisy samples by heart."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    count = 3000 if setting.is_fixed else 60
    direction = torch.randn(30)
    faces = torch.randn(count + 500, 30)
    smiles = (faces @ direction / 5.5 + 0.4 * torch.randn(count + 500) > 0).long()
    train, test = slice(0, count), slice(count, None)
    model = nn.Sequential(nn.Linear(30, 160), nn.ReLU(), nn.Linear(160, 160), nn.ReLU(), nn.Linear(160, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-4)
    criterion = nn.CrossEntropyLoss()
    order = torch.empty(0, dtype=torch.long)
    with setting.watch(model):
        for step in range(600):
            if len(order) < 20:
                order = torch.randperm(count)
            index, order = order[:20], order[20:]
            model.train()
            loss = criterion(model(faces[train][index]), smiles[train][index])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 30 == 29:
                model.eval()
                with torch.no_grad():
                    print("train", loss.item(), "test", criterion(model(faces[test]), smiles[test]).item())


PROGRAM = Program(
    name="sixty-faces-for-a-large-network",
    train=_train,
    source="Humbatova et al. 2020, training data quality: not enough training data",
    truth=Truth(rules=("overfitting",)),
)
