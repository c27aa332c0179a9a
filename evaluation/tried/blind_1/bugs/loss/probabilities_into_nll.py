"""A tagger ends in a softmax and is trained with `NLLLoss`, which takes the probabilities for logarithms."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Tagger(nn.Module):
    def __init__(self, last: nn.Module) -> None:
        super().__init__()
        self.embedding = nn.Embedding(20, 16)
        self.lstm = nn.LSTM(16, 24, batch_first=True, bidirectional=True)
        self.out = nn.Linear(48, 5)
        self.last = last

    def forward(self, tokens: Tensor) -> Tensor:
        return self.last(self.out(self.lstm(self.embedding(tokens))[0]))


def _train(setting: Setting) -> None:
    tokens = torch.randint(0, 20, (1200, 8))
    tags = (tokens + tokens.roll(1, dims=1)) % 5
    model = Tagger(nn.LogSoftmax(dim=-1) if setting.is_fixed else nn.Softmax(dim=-1))
    criterion = nn.NLLLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for x, y in batches(450, 16, tokens, tags):
            loss = criterion(model(x).transpose(1, 2), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="probabilities-into-nll",
    train=_train,
    source="Stack Overflow and PyTorch forum, NLLLoss that is negative after a softmax",
    truth=Truth(rules=("nll-without-log-softmax", "negative-loss"), nodes=("model.last: output", "model.last", "model: output")),
)
