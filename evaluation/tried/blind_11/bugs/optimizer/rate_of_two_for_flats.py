"""Prices of flats by SGD with a rate of 2: the loss grows in every step until it is infinite."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import regression_table
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    features, prices = regression_table(1000)
    x_train, y_train = features[:800], prices[:800]
    x_test, y_test = features[800:], prices[800:]
    model = nn.Sequential(nn.Linear(10, 40), nn.Tanh(), nn.Linear(40, 1))
    loss_fn = nn.MSELoss()
    learning_rate = 0.05 if setting.is_fixed else 2.0
    optimizer = torch.optim.SGD(model.parameters(), lr=learning_rate)
    with setting.watch(model):
        for t in range(200):
            y_pred = model(x_train)
            loss = loss_fn(y_pred, y_train)
            if t % 20 == 19 or t < 5:
                print(t, loss.item())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        print("test", loss_fn(model(x_test), y_test).item())


PROGRAM = Program(
    name="rate-of-two-for-flats",
    train=_train,
    source="codegenes.net, 'Loss explodes in PyTorch', and Stack Overflow on regression whose loss becomes inf and nan",
    truth=Truth(rules=("diverging-loss", "updates-too-large", "runaway-growth")),
)
