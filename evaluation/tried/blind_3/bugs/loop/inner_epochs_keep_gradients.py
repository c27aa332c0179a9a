"""Each chunk of a stream is learned in six passes, and gradients are cleared once per chunk instead of once per pass."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import clients

PASSES = 6


def _train(setting: Setting) -> None:
    table, stays = clients(3200)
    net = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.15, momentum=0.9)
    criterion = nn.BCEWithLogitsLoss()
    with setting.watch(net):
        for rows, labels in zip(table.split(64), stays.float().split(64), strict=True):
            optimizer.zero_grad()
            for number in range(PASSES):
                if number > 0 and setting.is_fixed:
                    optimizer.zero_grad()
                loss = criterion(net(rows).squeeze(1), labels)
                loss.backward()
                optimizer.step()


PROGRAM = Program(
    name="inner-epochs-keep-gradients",
    train=_train,
    source="Stack Overflow, zero_grad before the loop over PPO epochs",
    truth=Truth(
        rules=("gradients-left-over",),
        step=1,
    ),
)
