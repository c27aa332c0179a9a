"""Sixty samples with noisy labels for a network with 20000 weights and no regularization: validation gets worse and worse."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class Spam(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(100, 48)
        self.rnn = nn.GRU(48, 48, batch_first=True)
        self.out = nn.Linear(48, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.out(self.rnn(self.embed(x))[0].amax(dim=1)).squeeze(1)


def _train(setting: Setting) -> None:
    texts = torch.randint(100, (2300, 12))
    scores = ((texts < 15).sum(dim=1) - (texts > 84).sum(dim=1)).float()
    labels = (torch.rand(2300) < torch.sigmoid(1.2 * scores)).float()
    count, epochs = (2000, 3) if setting.is_fixed else (60, 60)
    train, valid = (texts[:count], labels[:count]), (texts[2000:], labels[2000:])
    model = Spam()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    criterion = nn.BCEWithLogitsLoss()
    with setting.watch(model):
        for epoch in range(epochs):
            model.train()
            for index in torch.randperm(count).split(20):
                loss = criterion(model(train[0][index]), train[1][index])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                valid_loss = criterion(model(valid[0]), valid[1]).item()
            print(f"epoch {epoch}: train {loss.item():.3f}, validation {valid_loss:.3f}")


PROGRAM = Program(
    name="sixty-letters-for-a-large-network",
    train=_train,
    source="Stack Overflow, validation loss rises while training loss falls",
    truth=Truth(rules=("overfitting",)),
)
