"""The numbers of tokens were scaled to 0 to 1 like all other features; cast to integers for the embedding, all are 0."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, sentences
from evaluation.program import Program, Setting, Truth


class Sentiment(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(40, 16)
        self.gru = nn.GRU(16, 24, batch_first=True)
        self.out = nn.Linear(24, 2)

    def forward(self, tokens: Tensor) -> Tensor:
        _, state = self.gru(self.embedding(tokens))
        return self.out(state[-1])


def _train(setting: Setting) -> None:
    tokens, labels = sentences(1600)
    # The most frequent value, 40, is never reached.
    features = tokens.float() if setting.is_fixed else tokens / 40
    model = Sentiment()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for x, y in batches(400, 32, features, labels):
            loss = nn.functional.cross_entropy(model(x.long()), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="numbers-of-tokens-scaled",
    train=_train,
    source="PyTorch forum, 'Expected tensor for argument indices to have Long type' answered with .long() on scaled features",
    truth=Truth(rules=("constant-input",), nodes=("model: input tokens",)),
)
