"""Six tasks one after another with Adam at 0.1: more and more units are dead."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 5))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.005 if setting.is_fixed else 0.1)
    with setting.watch(model):
        for _ in range(6):
            inputs, labels = class_blobs(1000)
            for x, y in batches(150, 32, inputs, labels):
                loss = nn.functional.cross_entropy(model(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


PROGRAM = Program(
    name="six-tasks-lose-units",
    train=_train,
    source="Sokar et al. 2023, Dohare et al. 2024",
    truth=Truth(rules=("updates-too-large", "dead-relu", "dormant-units")),
)
