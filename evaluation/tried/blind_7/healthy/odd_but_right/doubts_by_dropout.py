"""After training, dropout stays on while predictions are repeated: their spread says how sure the network is."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, regression_table
from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    x, y = regression_table(1200, 8)
    net = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 1))
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3, weight_decay=1e-5)
    with setting.watch(net):
        for a, b in batches(220, 40, x[:1000], y[:1000]):
            loss = nn.functional.mse_loss(net(a), b)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        # Monte Carlo dropout: the mode of training is wanted here.
        with torch.no_grad():
            answers = torch.stack([net(x[1000:]) for _ in range(10)])
        print(f"error {(answers.mean(0) - y[1000:]).pow(2).mean():.4f}, doubt {answers.std(0).mean():.4f}")


PROGRAM = Program(name="doubts-by-dropout", train=_train, source="Gal and Ghahramani 2016")
