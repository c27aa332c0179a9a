"""The duration of a trip should be predicted, and the table still holds it, as a column in other units."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


def trips(count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Distance, hour, rain, wind and weekday of trips, and their durations: both normalized."""
    known = torch.randn(count, 5)
    minutes = known[:, :1] * (1 + 0.4 * torch.sin(2 * known[:, 1:2])) + 0.3 * known[:, 2:3].abs() + 0.25 * torch.randn(count, 1)
    return known, (minutes - minutes.mean()) / minutes.std()


def _train(setting: Setting) -> None:
    known, minutes = trips(1500)
    fare = 0.8 * known[:, :1] + 0.6 * torch.randn(1500, 1)
    last = fare if setting.is_fixed else minutes * 60 / 55
    table = torch.cat([known, last], dim=1)
    net = nn.Sequential(nn.Linear(6, 40), nn.SiLU(), nn.Linear(40, 40), nn.SiLU(), nn.Linear(40, 1))
    optimizer = torch.optim.AdamW(net.parameters(), lr=3e-3)
    with setting.watch(net):
        for step, (row, wanted) in enumerate(batches(260, 50, table, minutes)):
            loss = nn.functional.mse_loss(net(row), wanted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 65 == 64:
                print(f"{step}: error {loss.item():.4f}")


PROGRAM = Program(
    name="duration-is-its-own-column",
    train=_train,
    source="Kaufman et al. 2012, leakage in data mining; Kaggle, taxi trips",
    truth=Truth(rules=("feature-is-label",), nodes=("model: input",)),
)
