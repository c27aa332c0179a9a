"""A small transformer with Adam at 0.3."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, sentences
from evaluation.program import Program, Setting, Truth


class Classifier(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(40, 16)
        self.encoder = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
        self.head = nn.Linear(16, 2)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.head(self.encoder(self.embedding(tokens)).mean(dim=1))


def _train(setting: Setting) -> None:
    tokens, labels = sentences()
    model = Classifier()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3 if setting.is_fixed else 0.3)
    with setting.watch(model):
        for x, y in batches(500, 32, tokens, labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="adam-learning-rate-for-transformer",
    train=_train,
    source="transformers with the learning rate of SGD",
    truth=Truth(rules=("updates-too-large",)),
)
