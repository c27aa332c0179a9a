"""A reader of reviews has one output, puts a softmax on it, and so always answers 1."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Sentiment(nn.Module):
    def __init__(self, end: nn.Module) -> None:
        super().__init__()
        self.embed = nn.Embedding(60, 16)
        self.lstm = nn.LSTM(16, 24, batch_first=True)
        self.fc = nn.Linear(24, 1)
        self.end = end

    def forward(self, words: Tensor) -> Tensor:
        _, (hidden, _) = self.lstm(self.embed(words))
        return self.end(self.fc(hidden[-1]))


def _train(setting: Setting) -> None:
    mood = torch.randn(60)
    words = torch.randint(0, 60, (1600, 10))
    is_good = (mood[words].sum(1) > 0).float()
    model = _Sentiment(nn.Sigmoid() if setting.is_fixed else nn.Softmax(dim=1))
    criterion = nn.BCELoss()
    optimizer = torch.optim.RMSprop(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for _ in range(6):
            for index in torch.randperm(1280).split(32):
                optimizer.zero_grad()
                loss = criterion(model(words[index]).squeeze(1), is_good[index])
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        print("accuracy", ((model(words[1280:]).squeeze(1) > 0.5) == is_good[1280:].bool()).float().mean().item())


PROGRAM = Program(
    name="softmax-of-one-sentiment",
    train=_train,
    source="Zhang et al. 2021, AUTOTRAINER, and StackOverflow: softmax with a single unit",
    truth=Truth(
        rules=("softmax-over-one", "zero-gradient", "no-gradient", "predictions-ignore-input", "loss-does-not-fall"),
        nodes=("model.end",),
    ),
)
