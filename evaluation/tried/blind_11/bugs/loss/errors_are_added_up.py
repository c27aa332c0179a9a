"""`MSELoss(reduction="sum")` over a whole table: the loss grows from step to step with a rate that is right for a mean."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import regression_table
from evaluation.program import Program, Setting, Truth


def build(features: int) -> nn.Module:
    return nn.Sequential(nn.Linear(features, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))


def _train(setting: Setting) -> None:
    x, y = regression_table(1000)
    x_val, y_val = x[800:], y[800:]
    x, y = x[:800], y[:800]
    net = build(x.shape[1])
    loss_fn = nn.MSELoss(reduction="mean" if setting.is_fixed else "sum")
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    with setting.watch(net):
        for epoch in range(200):
            pred = net(x)
            loss = loss_fn(pred, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if epoch % 20 == 0:
                with torch.no_grad():
                    val = ((net(x_val) - y_val) ** 2).mean().item()
                print(f"{epoch}: {loss.item():.4f}, validation {val:.4f}")


PROGRAM = Program(
    name="errors-are-added-up",
    train=_train,
    source="stats.stackexchange.com, 'Loss is growing between epochs in simple model', question 594738: MSELoss(reduction='sum') with SGD",
    truth=Truth(rules=("summed-loss", "diverging-loss", "updates-too-large"), nodes=("mse_loss",)),
)
