"""The attention's softmax runs over the batch instead of the keys."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, sentences
from evaluation.program import Program, Setting, Truth


class Attention(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.queries, self.keys, self.values = nn.Linear(16, 16), nn.Linear(16, 16), nn.Linear(16, 16)
        self.softmax = nn.Softmax(dim=dim)

    def forward(self, x: Tensor) -> Tensor:
        scores = self.queries(x) @ self.keys(x).transpose(1, 2) / 4
        return self.softmax(scores) @ self.values(x)


class Classifier(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(40, 16)
        self.attention = Attention(dim)
        self.norm = nn.LayerNorm(16)
        self.head = nn.Linear(16, 2)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embedding(tokens)
        return self.head(self.norm(x + self.attention(x)).mean(dim=1))


def _train(setting: Setting) -> None:
    tokens, labels = sentences()
    model = Classifier(dim=2 if setting.is_fixed else 0)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for x, y in batches(600, 32, tokens, labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="attention-over-the-batch",
    train=_train,
    source="common in hand-written attention",
    truth=Truth(rules=("softmax-over-batch",), nodes=("model.attention.softmax: output",)),
)
