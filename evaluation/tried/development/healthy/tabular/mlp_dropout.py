"""A classifier with much dropout and AdamW, evaluated after every epoch."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    centers = 1.2 * torch.randn(10, 16)
    classes = torch.randint(10, (3000,))
    x = centers[classes] + torch.randn(3000, 16)
    loader = DataLoader(TensorDataset(x[:2400], classes[:2400]), batch_size=64, shuffle=True)
    model = nn.Sequential(
        nn.Linear(16, 128),
        nn.ReLU(),
        nn.Dropout(0.5),
        nn.Linear(128, 128),
        nn.ReLU(),
        nn.Dropout(0.5),
        nn.Linear(128, 10),
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)
    criterion = nn.CrossEntropyLoss()
    accuracies = []
    with setting.watch(model):
        for _ in range(25):
            model.train()
            for features, target in loader:
                optimizer.zero_grad()
                loss = criterion(model(features), target)
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                accuracies.append((model(x[2400:]).argmax(1) == classes[2400:]).float().mean().item())


PROGRAM = Program(name="mlp-dropout", train=_train, source="Srivastava et al. 2014")
