"""Topics of documents from counts of 400 words, of which a document has some twenty: nearly all inputs are 0."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    topics = torch.randint(0, 4, (2000,))
    # Every topic prefers some words; a few words are rare and never appear in some batches.
    preferences = (torch.randn(4, 400) * 1.2 - torch.linspace(0, 4, 400)).exp()
    documents = torch.multinomial(preferences[topics], 20, replacement=True)
    counts = torch.zeros(2000, 400).scatter_add_(1, documents, torch.ones(2000, 20))
    model = nn.Sequential(nn.Linear(400, 32), nn.ReLU(), nn.Linear(32, 4))
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.02)
    with setting.watch(model):
        for x, y in batches(600, 32, torch.log1p(counts), topics):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="bag-of-words", train=_train, source="textbooks on text classification, with Adagrad for sparse features")
