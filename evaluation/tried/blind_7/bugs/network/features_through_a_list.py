"""Features of sentences are collected with `.tolist()` and made a tensor again, which has no gradient."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, sentences
from evaluation.program import Program, Setting, Truth


class Reader(nn.Module):
    def __init__(self, as_list: bool) -> None:
        super().__init__()
        self.as_list = as_list
        self.words = nn.Embedding(40, 12)
        self.rnn = nn.GRU(12, 20, batch_first=True)
        self.hidden = nn.Linear(20, 20)
        self.classify = nn.Linear(20, 2)

    def forward(self, tokens: Tensor) -> Tensor:
        summary = self.rnn(self.words(tokens))[1][0]
        if self.as_list:
            rows = [row.tolist() for row in summary]
            summary = torch.tensor(rows)
        return self.classify(torch.relu(self.hidden(summary)))


def _train(setting: Setting) -> None:
    x, y = sentences(1500, length=9)
    reader = Reader(as_list=not setting.is_fixed)
    optimizer = torch.optim.Adam(reader.parameters(), lr=5e-3)
    with setting.watch(reader):
        for tokens, is_lower in batches(220, 40, x, y):
            loss = nn.functional.cross_entropy(reader(tokens), is_lower)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="features-through-a-list",
    train=_train,
    source="Stack Overflow, torch.tensor of a list of outputs loses the graph",
    truth=Truth(
        rules=("cut-path", "no-gradient"),
        nodes=(
            *(f"model.{part}" for part in ("words", "words.weight", "words: output", "rnn", "rnn: output[0]", "rnn: output[1]")),
            *(f"model.rnn.{kind}_{side}_l0" for kind in ("weight", "bias") for side in ("ih", "hh")),
            "model.hidden: input",
        ),
    ),
)
