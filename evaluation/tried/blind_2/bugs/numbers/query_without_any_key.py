"""A text with no word at all masks every key: the softmax of nothing but minus infinity is NaN."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth

EMPTY = 70


class Pool(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.embed = nn.Embedding(50, 32, padding_idx=0)
        self.hidden = nn.Linear(32, 32)
        self.score = nn.Linear(32, 1)
        self.softmax = nn.Softmax(dim=1)
        self.out = nn.Linear(32, 3)
        self.blocked = -1e4 if is_fixed else -math.inf

    def forward(self, tokens: Tensor) -> Tensor:
        x = torch.tanh(self.hidden(self.embed(tokens)))
        scores = self.score(x).squeeze(2).masked_fill(tokens == 0, self.blocked)
        weights = self.softmax(scores)
        return self.out((weights.unsqueeze(2) * x).sum(dim=1))


def _train(setting: Setting) -> None:
    model = Pool(setting.is_fixed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for step in range(180):
            labels = torch.randint(3, (32,))
            tokens = torch.randint(1, 50, (32, 12))
            # Words of the class: three of every four are noise.
            tokens = torch.where(torch.rand(32, 12) < 0.3, 1 + 5 * labels[:, None] + tokens % 5, tokens)
            lengths = torch.randint(3, 13, (32, 1))
            if step == EMPTY:
                lengths[11] = 0
            tokens = tokens.masked_fill(torch.arange(12) >= lengths, 0)
            loss = nn.functional.cross_entropy(model(tokens), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="query-without-any-key",
    train=_train,
    source="pytorch issues on attention with rows that are masked completely",
    truth=Truth(
        rules=("nan-origin",),
        nodes=("model.softmax: output", "model.softmax", "model.softmax: input", "model.out: input"),
        step=EMPTY,
    ),
)
