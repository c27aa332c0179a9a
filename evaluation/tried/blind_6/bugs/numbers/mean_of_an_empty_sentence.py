"""Words are averaged without the padding. A sentence that is all padding is divided by zero."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches, sentences
from evaluation.program import Program, Setting, Truth

EMPTY = 85


class Average(nn.Module):
    def __init__(self, least: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(30, 16, padding_idx=0)
        self.hidden = nn.Linear(16, 32)
        self.out = nn.Linear(32, 2)
        self.least = least

    def forward(self, tokens: Tensor) -> Tensor:
        is_word = (tokens != 0).float()
        total = (self.embedding(tokens) * is_word[:, :, None]).sum(dim=1)
        mean = total / is_word.sum(dim=1, keepdim=True).clamp(min=self.least)
        return self.out(torch.tanh(self.hidden(mean)))


def _train(setting: Setting) -> None:
    tokens, labels = sentences(count=3000, length=12, vocabulary=29)
    tokens = tokens + 1
    lengths = torch.randint(6, 13, (3000, 1))
    tokens = torch.where(torch.arange(12) < lengths, tokens, 0)
    labels = (((tokens > 0) & (tokens < 15)).sum(1) * 2 > lengths.squeeze(1)).long()
    model = Average(least=1 if setting.is_fixed else 0)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for step, (x, y) in enumerate(batches(200, 32, tokens, labels)):
            if step == EMPTY:
                x[11] = 0
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"loss {loss.item():.3f}")


PROGRAM = Program(
    name="mean-of-an-empty-sentence",
    train=_train,
    source="StackOverflow, masked mean and division by zero",
    truth=Truth(
        rules=("nan-origin",), nodes=("model.hidden: input", "model.hidden", "model.out", "model.out: output", "cross_entropy"), step=EMPTY
    ),
)
