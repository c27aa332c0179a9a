"""Embeddings are multiplied by 100 before the attention, which then looks at single tokens."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, sentences
from evaluation.program import Program, Setting, Truth


class Attention(nn.Module):
    def __init__(self, size: int, scale: float) -> None:
        super().__init__()
        self.queries, self.keys, self.values = nn.Linear(size, size), nn.Linear(size, size), nn.Linear(size, size)
        self.softmax = nn.Softmax(dim=2)
        self.scale = scale

    def forward(self, x: Tensor) -> Tensor:
        scores = self.queries(x) @ self.keys(x).transpose(1, 2) * self.scale
        return self.softmax(scores) @ self.values(x)


class Classifier(nn.Module):
    def __init__(self, scale: float) -> None:
        super().__init__()
        self.embedding = nn.Embedding(40, 16)
        self.attention = Attention(16, 0.25)
        self.head = nn.Linear(16, 2)
        self.scale = scale

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.scale * self.embedding(tokens)
        return self.head((x + self.attention(x)).mean(dim=1))


def _train(setting: Setting) -> None:
    tokens, labels = sentences()
    model = Classifier(scale=1.0 if setting.is_fixed else 100.0)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for x, y in batches(600, 32, tokens, labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="embeddings-scaled-by-100",
    train=_train,
    source="transformers with the factor sqrt(d) in the wrong place",
    truth=Truth(
        rules=("attention-collapse", "initial-loss", "growing-with-depth", "logit-growth"),
        nodes=("model.attention.softmax: output", "model.attention.queries: output", "model.attention: input"),
    ),
)
