"""Prices of flats from a scaled table, with a network of three layers, and a test set that is scaled as the rest."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.everyday import houses
from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    table, price = houses(1400)
    middle, spread = table[:1100].mean(dim=0), table[:1100].std(dim=0)
    x = (table - middle) / spread
    y = (price - price[:1100].mean()) / price[:1100].std()
    model = nn.Sequential(nn.Linear(5, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.3, patience=1)
    with setting.watch(model):
        for epoch in range(8):
            for rows in torch.randperm(1100).split(44):
                loss = nn.functional.huber_loss(model(x[rows]), y[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            with torch.no_grad():
                test = nn.functional.huber_loss(model(x[1100:]), y[1100:])
            scheduler.step(test)
            print(f"epoch {epoch}: train {loss.item():.4f}, test {test.item():.4f}")


PROGRAM = Program(name="prices-from-a-table", train=_train, source="A usual regression on a table")
