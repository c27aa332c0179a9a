"""The learning rate of plain SGD is far too high: the loss jumps away from the first steps on."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import regression_table
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    x, y = regression_table(1200, features=10)
    model = nn.Sequential(nn.Linear(10, 40), nn.ELU(), nn.Linear(40, 40), nn.ELU(), nn.Linear(40, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05 if setting.is_fixed else 1.5)
    with setting.watch(model):
        for epoch in range(6):
            for rows in torch.randperm(1200).split(30):
                loss = nn.functional.mse_loss(model(x[rows]), y[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: loss {loss.item():.4f}")


PROGRAM = Program(
    name="steps-a-hundred-times-too-long",
    train=_train,
    source="https://taourl.com/read-3032209.html",
    truth=Truth(
        rules=(
            "updates-too-large",
            "diverging-loss",
            "oscillating-loss",
            "exploding-gradient",
            "runaway-growth",
            "nan-origin",
            "gradient-spike",
        )
    ),
)
