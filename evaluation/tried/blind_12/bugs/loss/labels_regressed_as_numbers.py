"""The number of the class is taken for a quantity: a network with one output is to hit 0, 1, 2, 3 or 4."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    is_fixed = setting.is_fixed
    x, y = class_blobs(1800, features=15, classes=5)
    model = nn.Sequential(nn.Linear(15, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 5 if is_fixed else 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(5):
            hits = 0
            for rows in torch.randperm(1800).split(45):
                out = model(x[rows])
                if is_fixed:
                    loss = nn.functional.cross_entropy(out, y[rows])
                    guess = out.argmax(dim=1)
                else:
                    loss = nn.functional.mse_loss(out.squeeze(1), y[rows].float())
                    guess = out.squeeze(1).round().long()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                hits += int((guess == y[rows]).sum())
            print(f"epoch {epoch}: loss {loss.item():.3f}, accuracy {hits / 1800:.3f}")


PROGRAM = Program(
    name="labels-regressed-as-numbers",
    train=_train,
    source="https://github.com/FluxML/model-zoo/issues/8",
    truth=Truth(rules=("class-numbers-as-target",), nodes=("mse_loss", "mse_loss: target", "model.4", "model: output")),
)
