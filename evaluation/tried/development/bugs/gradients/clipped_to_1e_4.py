"""Gradients are clipped to a norm of 1e-4, and SGD hardly moves."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, sentences
from evaluation.program import Program, Setting, Truth


class Reader(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(40, 16)
        self.gru = nn.GRU(16, 32, batch_first=True)
        self.head = nn.Linear(32, 2)

    def forward(self, tokens: Tensor) -> Tensor:
        _, last = self.gru(self.embedding(tokens))
        return self.head(last[0])


def _train(setting: Setting) -> None:
    tokens, labels = sentences()
    model = Reader()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.3, momentum=0.5)
    with setting.watch(model):
        for x, y in batches(700, 32, tokens, labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0 if setting.is_fixed else 1e-4)
            optimizer.step()


PROGRAM = Program(
    name="clipped-to-1e-4",
    train=_train,
    source="clipping with a wrong limit",
    truth=Truth(rules=("always-clipped", "updates-too-small")),
)
