"""The learning rate is so low that hardly anything changes within the run."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import sentences
from evaluation.program import Program, Setting, Truth


class Sentiment(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(40, 32)
        self.lstm = nn.LSTM(32, 32, batch_first=True)
        self.linear = nn.Linear(32, 1)

    def forward(self, text: Tensor) -> Tensor:
        out, _ = self.lstm(self.embedding(text))
        return self.linear(out.mean(dim=1)).squeeze(1)


def _train(setting: Setting) -> None:
    tokens, labels = sentences(1600)
    model = Sentiment()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3 if setting.is_fixed else 1e-6)
    criterion = nn.BCEWithLogitsLoss()
    with setting.watch(model):
        for epoch in range(4):
            for rows in torch.randperm(1600).split(40):
                optimizer.zero_grad()
                loss = criterion(model(tokens[rows]), labels[rows].float())
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="rate-of-a-hundred-thousandth",
    train=_train,
    source="https://taourl.com/read-2391810.html",
    truth=Truth(rules=("updates-too-small", "loss-does-not-fall")),
)
