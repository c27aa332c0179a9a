"""The label is the last column of the table, and the script predicts the first, which is a random number of the customer."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.worlds import clients


def _train(setting: Setting) -> None:
    features, stays = clients(1500)
    risk = features[:, :1] * features[:, 1:2] + 0.5 * features[:, 2:3] + stays[:, None]
    table = torch.cat([torch.randn(1500, 1), features, (risk - risk.mean()) / risk.std()], dim=1)
    if setting.is_fixed:
        x, y = table[:, :-1], table[:, -1:]
    else:
        x, y = table[:, 1:], table[:, :1]
    net = nn.Sequential(nn.Linear(13, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(net.parameters(), lr=4e-3, weight_decay=1e-4)
    with setting.watch(net):
        for inputs, targets in batches(250, 64, x, y):
            loss = nn.functional.mse_loss(net(inputs), targets)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()


PROGRAM = Program(
    name="wrong-column-as-target",
    train=_train,
    source="Humbatova et al. 2020 (wrong labels): columns of a CSV file",
    truth=Truth(rules=("loss-does-not-fall", "predictions-ignore-input")),
)
