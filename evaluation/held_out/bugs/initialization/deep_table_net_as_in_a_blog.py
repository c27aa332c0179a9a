"""A deep network for a table, with the weights of every layer drawn as a blog proposes."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import regression_table
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    x, y = regression_table(2000, features=12)
    layers: list[nn.Module] = [nn.Linear(12, 40), nn.ReLU()]
    for _ in range(7):
        layers += [nn.Linear(40, 40), nn.ReLU()]
    model = nn.Sequential(*layers, nn.Linear(40, 1))
    for layer in model:
        if isinstance(layer, nn.Linear):
            if setting.is_fixed:
                nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
            else:
                nn.init.normal_(layer.weight, std=0.01)
            nn.init.zeros_(layer.bias)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    with setting.watch(model):
        for epoch in range(5):
            for rows in torch.randperm(2000).split(50):
                loss = nn.functional.mse_loss(model(x[rows]), y[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="deep-table-net-as-in-a-blog",
    train=_train,
    source="https://taourl.com/read-3018068.html",
    truth=Truth(
        rules=("vanishing-gradient", "same-for-all-samples", "predictions-ignore-input", "updates-too-small"),
        nodes=(*(f"model.{place}" for place in range(17)), "model: output"),
    ),
)
