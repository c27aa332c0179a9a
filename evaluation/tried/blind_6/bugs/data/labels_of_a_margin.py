"""The labels are -1 and 1, as a support vector machine wants them, and the loss is the binary cross entropy."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, sentences
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    tokens, labels = sentences(length=10, vocabulary=30)
    targets = labels.float()
    if not setting.is_fixed:
        targets = 2 * targets - 1
    model = nn.Sequential(nn.EmbeddingBag(30, 24), nn.Linear(24, 24), nn.ReLU(), nn.Linear(24, 1), nn.Flatten(0))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    criterion = nn.BCEWithLogitsLoss()
    with setting.watch(model):
        for x, y in batches(250, 64, tokens, targets):
            loss = criterion(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"accuracy {((model(tokens) > 0).long() == labels).float().mean():.2f}")


PROGRAM = Program(
    name="labels-of-a-margin",
    train=_train,
    source="StackOverflow, negative loss with BCEWithLogitsLoss",
    truth=Truth(
        rules=("target-out-of-range", "negative-loss"),
        nodes=("binary_cross_entropy_with_logits: target", "binary_cross_entropy_with_logits", "model.4: output", "model.4", "model.3"),
    ),
)
