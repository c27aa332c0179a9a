"""Gradients are accumulated over 32 batches, counted anew in each epoch, and an epoch has 24. No step is ever made."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.datasets import sentences
from evaluation.program import Program, Setting, Truth


class Bag(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(40, 16)
        self.classifier = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 2))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.classifier(self.embedding(tokens).mean(dim=1))


def _train(setting: Setting) -> None:
    tokens, labels = sentences(960)
    loader = DataLoader(TensorDataset(tokens, labels), batch_size=40, shuffle=True)
    accumulate = 4 if setting.is_fixed else 32
    model = Bag()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    with setting.watch(model):
        for epoch in range(10):
            optimizer.zero_grad()
            running = 0.0
            for i, (x, y) in enumerate(loader):
                loss = nn.functional.cross_entropy(model(x), y) / accumulate
                loss.backward()
                running += loss.item() * accumulate
                if (i + 1) % accumulate == 0:
                    optimizer.step()
                    optimizer.zero_grad()
            print(f"epoch {epoch}: {running / len(loader):.4f}")


PROGRAM = Program(
    name="accumulates-more-than-an-epoch",
    train=_train,
    source="GitHub issues on gradient accumulation with short epochs",
    truth=Truth(rules=("optimizer-never-steps", "loss-does-not-fall")),
)
