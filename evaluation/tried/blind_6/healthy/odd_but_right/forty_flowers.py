"""Logistic regression of forty measured flowers, all in every batch."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    species = torch.arange(40) % 3
    flowers = torch.randn(3, 4)[species] * 1.5 + 0.7 * torch.randn(40, 4)
    flowers = (flowers - flowers.mean(0)) / flowers.std(0)
    model = nn.Linear(4, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.3, weight_decay=1e-3)
    with setting.watch(model):
        for _ in range(120):
            loss = F.cross_entropy(model(flowers), species)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"accuracy {(model(flowers).argmax(1) == species).float().mean():.2f}")


PROGRAM = Program(name="forty-flowers", train=_train, source="Tutorials on Iris")
