"""A third of the labels is random. The loss stays high, and the network still finds the right ones."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    x, truth = class_blobs(3000, features=16, classes=4)
    given = torch.where(torch.rand(3000) < 0.33, torch.randint(0, 4, (3000,)), truth)
    model = nn.Sequential(nn.Linear(16, 48), nn.ReLU(), nn.Dropout(0.3), nn.Linear(48, 4))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for epoch in range(5):
            model.train()
            for rows in torch.randperm(2600).split(65):
                loss = nn.functional.cross_entropy(model(x[rows]), given[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                right = (model(x[2600:]).argmax(dim=1) == truth[2600:]).float().mean()
            print(f"epoch {epoch}: {loss.item():.4f}, truly right {right.item():.3f}")


PROGRAM = Program(name="a-third-of-the-labels-is-wrong", train=_train, source="Rolnick et al. 2017, learning with massive label noise")
