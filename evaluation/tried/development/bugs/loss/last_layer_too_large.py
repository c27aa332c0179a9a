"""The last layer starts with weights of deviation 5, so the first losses are far above chance."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    images, labels = digits()
    last = nn.Linear(64, 6)
    nn.init.normal_(last.weight, std=0.05 if setting.is_fixed else 5.0)
    model = nn.Sequential(nn.Flatten(), nn.Linear(144, 64), nn.ReLU(), last)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    with setting.watch(model):
        for x, y in batches(700, 32, images, labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="last-layer-too-large",
    train=_train,
    source="Karpathy, a recipe for training neural networks",
    truth=Truth(rules=("initial-loss", "exploding-gradient"), nodes=("model.3: output", "model.3.weight", "model.3")),
)
