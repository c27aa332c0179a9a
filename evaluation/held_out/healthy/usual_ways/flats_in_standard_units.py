"""Prices of flats from a table. Inputs and prices are standardized with the numbers of the training rows."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.everyday import houses
from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    table, price = houses(1500)
    mean, std = table[:1300].mean(dim=0), table[:1300].std(dim=0)
    x = (table - mean) / std
    y = (price - price[:1300].mean()) / price[:1300].std()
    model = nn.Sequential(nn.Linear(5, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.RMSprop(model.parameters(), lr=2e-3)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=2)
    best, waited = float("inf"), 0
    with setting.watch(model):
        for epoch in range(12):
            model.train()
            for rows in torch.randperm(1300).split(65):
                loss = nn.functional.huber_loss(model(x[rows]), y[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                validation = nn.functional.huber_loss(model(x[1300:]), y[1300:]).item()
            scheduler.step(validation)
            best, waited = (validation, 0) if validation < best else (best, waited + 1)
            print(f"epoch {epoch}: {loss.item():.4f}, validation {validation:.4f}")
            if waited == 4:
                break


PROGRAM = Program(name="flats-in-standard-units", train=_train, source="scikit-learn documentation, standardization before a network")
