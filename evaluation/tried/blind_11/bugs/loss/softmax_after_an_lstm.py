"""A text classifier ends with `nn.Softmax`, and its loss is `CrossEntropyLoss`: the loss cannot go below 0.55."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import commands


class TextClassifier(nn.Module):
    def __init__(self, vocab_size: int, n_classes: int, *, normalize: bool) -> None:
        super().__init__()
        self.emb = nn.Embedding(vocab_size, 32)
        self.lstm = nn.LSTM(32, 48, batch_first=True, bidirectional=True)
        self.out = nn.Linear(96, n_classes)
        self.softmax = nn.Softmax(dim=-1)
        self.normalize = normalize

    def forward(self, tokens: Tensor) -> Tensor:
        states, _ = self.lstm(self.emb(tokens))
        scores = self.out(states.max(dim=1).values)
        return self.softmax(scores) if self.normalize else scores


def _train(setting: Setting) -> None:
    tokens, labels = commands(1600)
    model = TextClassifier(30, 3, normalize=not setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    criterion = nn.CrossEntropyLoss()
    with setting.watch(model):
        for epoch in range(5):
            epoch_loss, epoch_right = 0.0, 0
            for batch in torch.randperm(1600).split(40):
                optimizer.zero_grad()
                predictions = model(tokens[batch])
                loss = criterion(predictions, labels[batch])
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 5.0)
                optimizer.step()
                epoch_loss += loss.item() / 40
                epoch_right += int((predictions.argmax(dim=1) == labels[batch]).sum())
            print(f"Epoch {epoch + 1:02} | Train Loss: {epoch_loss:.3f} | Train Acc: {epoch_right / 16:.1f}%")


PROGRAM = Program(
    name="softmax-after-an-lstm",
    train=_train,
    source="GitHub rasbt/deeplearning-models#76 and Stack Overflow, CrossEntropyLoss after a softmax in the model",
    truth=Truth(rules=("softmax-before-cross-entropy",), nodes=("model.softmax", "model.softmax: output", "cross_entropy")),
)
