"""Attention scores are multiplied by the square root of the size instead of divided by it."""

from __future__ import annotations

import math

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
        self.embedding = nn.Embedding(40, 32)
        self.norm = nn.LayerNorm(32)
        self.attention = Attention(32, scale)
        self.head = nn.Linear(32, 2)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embedding(tokens)
        x = x + self.attention(self.norm(x))
        return self.head(x.mean(dim=1))


def _train(setting: Setting) -> None:
    tokens, labels = sentences()
    model = Classifier(scale=1 / math.sqrt(32) if setting.is_fixed else 2 * math.sqrt(32))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for x, y in batches(600, 32, tokens, labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="attention-scores-too-large",
    train=_train,
    source="Zhai et al. 2023",
    truth=Truth(rules=("attention-collapse",), nodes=("model.attention.softmax: output",)),
)
