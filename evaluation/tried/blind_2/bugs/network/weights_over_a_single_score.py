"""Additive attention has one score per word, shape (B, T, 1), and the softmax runs over the last dimension: all weights are 1."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Reader(nn.Module):
    def __init__(self, vocabulary: int, dim: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, 24)
        self.gru = nn.GRU(24, 24, batch_first=True, bidirectional=True)
        self.score = nn.Linear(48, 1)
        self.out = nn.Linear(48, 4)
        self.dim = dim

    def forward(self, tokens: Tensor) -> Tensor:
        states, _ = self.gru(self.embedding(tokens))
        attention = F.softmax(self.score(torch.tanh(states)), dim=self.dim)
        return self.out((attention * states).sum(dim=1))


def _train(setting: Setting) -> None:
    # The word after the marker 0 decides.
    tokens = torch.randint(1, 30, (1500, 10))
    place = torch.randint(9, (1500,))
    rows = torch.arange(1500)
    tokens[rows, place] = 0
    labels = tokens[rows, place + 1] % 4
    model = Reader(30, dim=1 if setting.is_fixed else -1)
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for x, y in batches(300, 32, tokens, labels):
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()


PROGRAM = Program(
    name="weights-over-a-single-score",
    train=_train,
    source="PyTorch forum, all attention weights are 1",
    truth=Truth(
        rules=("softmax-over-one", "zero-gradient"), nodes=("model.score: output", "model.score", "model.score.weight", "model.out: input")
    ),
)
