"""`CosineEmbeddingLoss` wants -1 for pairs that differ. They get 0, which makes their loss 0, and all embeddings collapse."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, classes = class_blobs(900, features=12, classes=3)
    encoder = nn.Sequential(nn.Linear(12, 48), nn.Tanh(), nn.Linear(48, 16))
    criterion = nn.CosineEmbeddingLoss(margin=0.2)
    optimizer = torch.optim.Adam(encoder.parameters(), lr=3e-3)
    with setting.watch(encoder):
        for _ in range(250):
            left, right = torch.randint(900, (2, 48))
            is_same = (classes[left] == classes[right]).float()
            targets = 2 * is_same - 1 if setting.is_fixed else is_same
            loss = criterion(encoder(inputs[left]), encoder(inputs[right]), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="targets-of-zero-in-cosine-loss",
    train=_train,
    source="PyTorch forum, CosineEmbeddingLoss with labels 0 and 1",
    truth=Truth(
        rules=("same-for-all-samples", "target-out-of-range"),
        nodes=("model: output", "model.2: output", "model.2", "model.1: output", "model.1"),
    ),
)
