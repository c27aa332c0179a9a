"""One row holds -9999, the placeholder of a sensor that was off; its batch in step 250 undoes the training."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, regression_table
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, targets = regression_table(4000)
    model = nn.Sequential(nn.Linear(10, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
    with setting.watch(model):
        for step, (x, y) in enumerate(batches(600, 32, inputs, targets)):
            if step == 250 and not setting.is_fixed:
                x[5, 3] = -9999.0
            loss = nn.functional.l1_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="placeholder-of-a-sensor",
    train=_train,
    source="questions about missing values that are coded as -9999",
    truth=Truth(rules=("gradient-spike", "exploding-gradient"), step=250),
)
