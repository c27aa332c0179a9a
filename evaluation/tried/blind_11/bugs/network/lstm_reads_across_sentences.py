"""Sentences come as `[batch, time, features]` to an LSTM without `batch_first=True`."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import commands


class LstmClassifier(nn.Module):
    def __init__(self, vocab: int, batch_first: bool) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab, 24)
        self.lstm = nn.LSTM(24, 48, batch_first=batch_first)
        self.fc = nn.Linear(48, 3)

    def forward(self, text: Tensor) -> Tensor:
        embedded = self.embedding(text)
        output, _ = self.lstm(embedded)
        return self.fc(output[:, -1, :])


def _train(setting: Setting) -> None:
    text, intent = commands(1600)
    model = LstmClassifier(30, batch_first=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=6e-3)
    criterion = nn.CrossEntropyLoss()
    with setting.watch(model):
        for epoch in range(7):
            correct, total_loss = 0, 0.0
            for rows in torch.randperm(1600).split(40):
                optimizer.zero_grad()
                predictions = model(text[rows])
                loss = criterion(predictions, intent[rows])
                loss.backward()
                optimizer.step()
                total_loss += loss.item()
                correct += int((predictions.argmax(dim=1) == intent[rows]).sum())
            print(f"epoch {epoch + 1}: loss {total_loss / 40:.3f}, accuracy {correct / 1600:.3f}")


PROGRAM = Program(
    name="lstm-reads-across-sentences",
    train=_train,
    source="Stack Overflow and taourl.com/read-2624309, loss of an RNN does not decrease: batch_first is False by default",
    truth=Truth(rules=("batch-as-sequence",), nodes=("model.lstm", "model.embedding: output", "model.lstm: output[0]")),
)
