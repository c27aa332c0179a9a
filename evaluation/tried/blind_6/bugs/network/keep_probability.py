"""Ported from TensorFlow 1: `Dropout(0.95)` kept 95 % there, and drops 95 % here."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs(features=24, classes=6)
    rate = 0.05 if setting.is_fixed else 0.95
    model = nn.Sequential(nn.Linear(24, 64), nn.ReLU(), nn.Dropout(rate), nn.Linear(64, 64), nn.ReLU(), nn.Dropout(rate), nn.Linear(64, 6))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for x, y in batches(220, 64, inputs, labels):
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"loss {loss.item():.2f}")


PROGRAM = Program(
    name="keep-probability",
    train=_train,
    source="StackOverflow, keep_prob of TensorFlow 1 and p of PyTorch",
    truth=Truth(rules=("heavy-dropout",), nodes=("model.2", "model.5")),
)
