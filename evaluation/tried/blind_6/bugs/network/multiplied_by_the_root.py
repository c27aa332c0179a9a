"""Scores of attention are multiplied by the root of the size, and not divided: every query takes a single key from the start."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches, sentences
from evaluation.program import Program, Setting, Truth


class Attention(nn.Module):
    def __init__(self, size: int, *, divide: bool) -> None:
        super().__init__()
        self.query = nn.Linear(size, size)
        self.key = nn.Linear(size, size)
        self.value = nn.Linear(size, size)
        self.factor = size**-0.5 if divide else size**0.5
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, x: Tensor) -> Tensor:
        scores = self.query(x) @ self.key(x).transpose(1, 2) * self.factor
        return self.softmax(scores) @ self.value(x)


class Pooler(nn.Module):
    def __init__(self, *, divide: bool) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(48)
        self.embedding = nn.Embedding(20, 48)
        self.attention = Attention(48, divide=divide)
        self.out = nn.Linear(48, 2)

    def forward(self, tokens: Tensor) -> Tensor:
        h = self.norm(self.embedding(tokens))
        return self.out((h + self.attention(h)).mean(dim=1))


def _train(setting: Setting) -> None:
    tokens, labels = sentences(length=14, vocabulary=20)
    model = Pooler(divide=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for x, y in batches(150, 32, tokens, labels):
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"accuracy {(model(tokens).argmax(1) == labels).float().mean():.2f}")


PROGRAM = Program(
    name="multiplied-by-the-root",
    train=_train,
    source="StackOverflow, scaling of attention scores; Vaswani et al. 2017",
    truth=Truth(
        rules=("attention-collapse",), nodes=("model.attention", "model.attention.softmax", "model.attention.query", "model.attention.key")
    ),
)
