"""Sharpness-aware minimization: two passes per step, the second with weights that are moved uphill and then put back."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import shapes


def _train(setting: Setting) -> None:
    data = shapes(1500, size=12)
    model = nn.Sequential(
        nn.Conv2d(1, 12, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Conv2d(12, 24, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(216, 4),
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    with setting.watch(model):
        for x, y in batches(400, 32, data.images, data.classes):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            with torch.no_grad():
                gradients = [parameter.grad for parameter in model.parameters() if parameter.grad is not None]
                norm = torch.stack([gradient.norm() for gradient in gradients]).norm()
                moves = [0.02 * gradient / (norm + 1e-12) for gradient in gradients]
                for parameter, move in zip(model.parameters(), moves, strict=True):
                    parameter.add_(move)
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            with torch.no_grad():
                for parameter, move in zip(model.parameters(), moves, strict=True):
                    parameter.sub_(move)
            optimizer.step()


PROGRAM = Program(name="sharpness-aware", train=_train, source="Foret et al. 2021")
