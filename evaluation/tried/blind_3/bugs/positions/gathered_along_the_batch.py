"""The value of the chosen action is taken with `gather(0, ...)`: from the first samples and the first column."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    # Which of four prices was offered to a client, and what was earned.
    clients = torch.randn(2000, 6)
    prices = torch.randint(4, (2000, 1))
    earned = (clients @ torch.randn(6, 4)).tanh().gather(1, prices) * (prices + 1) / 2 + 0.1 * torch.randn(2000, 1)
    net = nn.Sequential(nn.Linear(6, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 4))
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    with setting.watch(net):
        for x, price, reward in batches(300, 40, clients, prices, earned):
            value = net(x).gather(1 if setting.is_fixed else 0, price)
            loss = nn.functional.smooth_l1_loss(value, reward)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="gathered-along-the-batch",
    train=_train,
    source="Stack Overflow, gather in DQN and its dim",
    truth=Truth(rules=("loss-does-not-fall", "predictions-ignore-input", "same-for-all-samples")),
)
