"""A table goes into the network in its own units: metres to the centre up to 15,000 beside a number of rooms up to 9."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.everyday import houses
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    table, price = houses(1200)
    if setting.is_fixed:
        table = (table - table.mean(dim=0)) / table.std(dim=0)
    price = (price - price.mean()) / price.std()
    model = nn.Sequential(nn.Linear(5, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    loss_fn = nn.MSELoss()
    with setting.watch(model):
        for epoch in range(8):
            order = torch.randperm(1000)
            for start in range(0, 1000, 50):
                rows = order[start : start + 50]
                y_pred = model(table[rows])
                loss = loss_fn(y_pred, price[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            with torch.no_grad():
                test_loss = loss_fn(model(table[1000:]), price[1000:])
            print(f"Epoch {epoch} train {loss.item():.4f} test {test_loss.item():.4f}")


PROGRAM = Program(
    name="flats-in-metres-and-years",
    train=_train,
    source="https://discuss.pytorch.org/t/why-the-model-fail-to-converge-without-a-manul-weight-initialization/50431",
    truth=Truth(rules=("input-not-normalized", "initial-loss", "exploding-gradient"), nodes=("model: input",)),
)
