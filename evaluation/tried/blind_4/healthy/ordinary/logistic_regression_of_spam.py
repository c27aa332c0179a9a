"""Logistic regression on the counts of words, with weight decay."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    is_spam = (torch.rand(1600) < 0.4).float()
    rates = torch.rand(2, 60) * 1.2
    counts = torch.poisson(rates[is_spam.long()] * 0.5 + 0.2)
    counts = (counts - counts.mean(0)) / counts.std(0)
    train = DataLoader(TensorDataset(counts[:1200], is_spam[:1200]), batch_size=40, shuffle=True)
    model = nn.Sequential(nn.Linear(60, 1), nn.Flatten(0))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, weight_decay=1e-3)
    criterion = nn.BCEWithLogitsLoss()
    with setting.watch(model):
        for _ in range(10):
            for x, y in train:
                optimizer.zero_grad()
                loss = criterion(model(x), y)
                loss.backward()
                optimizer.step()
            with torch.no_grad():
                print("accuracy", ((model(counts[1200:]) > 0) == is_spam[1200:].bool()).float().mean().item())


PROGRAM = Program(name="logistic-regression-of-spam", train=_train, source="Stanford CS229: logistic regression")
