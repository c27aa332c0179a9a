"""A penalty on all squared weights is added to the loss without a factor, and nothing but the weights shrinks."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
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
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.5)
    factor = 1e-4 if setting.is_fixed else 1.0
    with setting.watch(model):
        for x, y in batches(500, 32, data.images, data.classes):
            loss = nn.functional.cross_entropy(model(x), y)
            loss = loss + factor * sum(parameter.pow(2).sum() for parameter in model.parameters())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="penalty-without-a-factor",
    train=_train,
    source="TheDeepChecker (over-regularization), PyTorch forum on L2 penalties by hand",
    truth=Truth(rules=("weights-collapse",), nodes=tuple(f"model.{k}{what}" for k in (0, 2, 5) for what in ("", ".weight"))),
)
