"""Labels are -1 and 1, as for an SVM, and the loss is binary cross-entropy, which falls without end."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, sentences
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    tokens, labels = sentences()
    targets = labels[:, None] * 2.0 - 1.0
    if setting.is_fixed:
        targets = (targets + 1) / 2
    model = nn.Sequential(nn.EmbeddingBag(40, 24), nn.Linear(24, 24), nn.GELU(), nn.Linear(24, 1))
    criterion = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for x, y in batches(600, 32, tokens, targets):
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="labels-of-minus-one",
    train=_train,
    source="Stack Overflow, BCEWithLogitsLoss that is negative with labels -1 and 1",
    truth=Truth(rules=("negative-loss", "target-out-of-range")),
)
