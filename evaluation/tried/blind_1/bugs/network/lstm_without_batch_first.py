"""An LSTM gets (batch, time, features) but expects (time, batch, features), so it runs along the batch."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Classifier(nn.Module):
    def __init__(self, batch_first: bool) -> None:
        super().__init__()
        self.embedding = nn.Embedding(12, 16)
        self.lstm = nn.LSTM(16, 32, batch_first=batch_first)
        self.fc = nn.Linear(32, 4)

    def forward(self, tokens: Tensor) -> Tensor:
        out, _ = self.lstm(self.embedding(tokens))
        return self.fc(out[:, -1])


def _train(setting: Setting) -> None:
    tokens = torch.randint(0, 12, (2400, 6))
    # The first two tokens decide.
    labels = (tokens[:, 0] + tokens[:, 1]) // 6
    model = Classifier(batch_first=setting.is_fixed)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for x, y in batches(700, 32, tokens, labels):
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="lstm-without-batch-first",
    train=_train,
    source="PyTorch forum, thread 62364: the loss of an LSTM does not decrease with another batch_first",
    truth=Truth(rules=("batch-as-sequence", "predictions-ignore-input", "loss-does-not-fall")),
)
