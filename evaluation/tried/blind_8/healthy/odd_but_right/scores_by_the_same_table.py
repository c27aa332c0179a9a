"""A language model that reads and writes words with the same matrix, scaled down at its start."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.worlds import babble


class TiedModel(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(24, 32)
        nn.init.normal_(self.words.weight, std=32**-0.5)
        self.rnn = nn.LSTM(32, 32, batch_first=True)
        self.norm = nn.LayerNorm(32)
        self.scores = nn.Linear(32, 24, bias=False)
        self.scores.weight = self.words.weight

    def forward(self, tokens: Tensor) -> Tensor:
        return self.scores(self.norm(self.rnn(self.words(tokens))[0]))


def _train(setting: Setting) -> None:
    texts = babble(1200, length=14, vocabulary=24)
    model = TiedModel()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for _ in range(200):
            rows = texts[torch.randint(1200, (32,))]
            loss = nn.functional.cross_entropy(model(rows[:, :-1]).flatten(0, 1), rows[:, 1:].flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="scores-by-the-same-table", train=_train, source="Press and Wolf 2017; Inan et al. 2017")
