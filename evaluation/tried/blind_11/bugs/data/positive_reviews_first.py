"""Reviews were appended file by file, all good ones and then all bad ones, and nobody shuffled them."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import sentences
from evaluation.program import Program, Setting, Truth


class Sentiment(nn.Module):
    def __init__(self, vocabulary: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, 24)
        self.lstm = nn.LSTM(24, 32, batch_first=True)
        self.dropout = nn.Dropout(0.2)
        self.fc = nn.Linear(32, 1)

    def forward(self, tokens: Tensor) -> Tensor:
        _, (hidden, _) = self.lstm(self.embedding(tokens))
        return self.fc(self.dropout(hidden[-1])).squeeze(1)


def accuracy(model: nn.Module, tokens: Tensor, labels: Tensor) -> float:
    model.eval()
    with torch.no_grad():
        right = (model(tokens) > 0) == labels.bool()
    model.train()
    return right.float().mean().item()


def _train(setting: Setting) -> None:
    tokens, labels = sentences(1280)
    reviews, ratings = tokens[:1024], labels[:1024].float()
    held_tokens, held_labels = tokens[1024:], labels[1024:]
    good_first = ratings.argsort(descending=True)
    model = Sentiment(40)
    criterion = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for epoch in range(6):
            order = torch.randperm(1024) if setting.is_fixed else good_first
            for batch in order.split(32):
                optimizer.zero_grad()
                loss = criterion(model(reviews[batch]), ratings[batch])
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: last loss {loss.item():.4f}, validation accuracy {accuracy(model, held_tokens, held_labels):.3f}")


PROGRAM = Program(
    name="positive-reviews-first",
    train=_train,
    source="Stack Overflow, sentiment LSTM whose validation accuracy stays at 50 %: IMDB read class by class without shuffling",
    truth=Truth(
        rules=("batches-not-shuffled", "oscillating-loss"),
        nodes=("binary_cross_entropy_with_logits: target", "binary_cross_entropy_with_logits", "model: input tokens"),
    ),
)
