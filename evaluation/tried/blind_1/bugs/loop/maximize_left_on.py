"""`maximize=True` is a leftover of a policy gradient, so the classifier learns to be wrong."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, sentences
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    tokens, labels = sentences()
    model = nn.Sequential(nn.EmbeddingBag(40, 24), nn.Linear(24, 32), nn.ReLU(), nn.Linear(32, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, maximize=not setting.is_fixed)
    with setting.watch(model):
        for x, y in batches(500, 32, tokens, labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="maximize-left-on",
    train=_train,
    source="TheDeepChecker (wrong sign of the loss), with the option of torch.optim",
    truth=Truth(rules=("diverging-loss", "runaway-growth", "logit-growth")),
)
