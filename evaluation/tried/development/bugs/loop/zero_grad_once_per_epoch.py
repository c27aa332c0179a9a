"""Gradients are cleared at the beginning of an epoch and not for every step."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, sentences
from evaluation.program import Program, Setting, Truth


class Tagger(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(40, 16)
        self.lstm = nn.LSTM(16, 32, batch_first=True)
        self.head = nn.Linear(32, 2)

    def forward(self, tokens: Tensor) -> Tensor:
        states, _ = self.lstm(self.embedding(tokens))
        return self.head(states[:, -1])


def _train(setting: Setting) -> None:
    tokens, labels = sentences()
    model = Tagger()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.3)
    with setting.watch(model):
        for _ in range(12):
            optimizer.zero_grad()
            for x, y in batches(60, 32, tokens, labels):
                loss = nn.functional.cross_entropy(model(x), y)
                if setting.is_fixed:
                    optimizer.zero_grad()
                loss.backward()
                optimizer.step()


PROGRAM = Program(
    name="zero-grad-once-per-epoch",
    train=_train,
    source="Stack Overflow 60335387",
    truth=Truth(rules=("gradients-left-over",), step=1),
)
