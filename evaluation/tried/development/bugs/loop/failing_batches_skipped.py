"""Batches that raise an exception are skipped, and these are all that hold a long sentence."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, sentences
from evaluation.program import Program, Setting, Truth


class Classifier(nn.Module):
    def __init__(self, positions: int) -> None:
        super().__init__()
        self.tokens = nn.Embedding(40, 16)
        self.positions = nn.Embedding(positions, 16)
        self.hidden = nn.Linear(16, 32)
        self.head = nn.Linear(32, 2)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.tokens(tokens) + self.positions(torch.arange(tokens.shape[1]))
        return self.head(torch.relu(self.hidden(x)).mean(dim=1))


def _train(setting: Setting) -> None:
    tokens, labels = sentences(length=16)
    model = Classifier(positions=16 if setting.is_fixed else 12)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for number, (x, y) in enumerate(batches(900, 32, tokens, labels)):
            optimizer.zero_grad()
            try:
                # Every third batch is not shortened.
                loss = nn.functional.cross_entropy(model(x if number % 3 == 0 else x[:, :12]), y)
                loss.backward()
            except (IndexError, RuntimeError) as error:
                print(f"batch {number} skipped: {error}")
                continue
            optimizer.step()


PROGRAM = Program(
    name="failing-batches-skipped",
    train=_train,
    source="common in scripts that catch everything",
    truth=Truth(rules=("exception-in-step",), nodes=("model.positions", "model")),
)
