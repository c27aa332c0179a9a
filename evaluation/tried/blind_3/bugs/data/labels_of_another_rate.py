"""Features come every 10 ms and labels every 20 ms, and they are paired by their index."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    state = torch.randint(4, (400,)).repeat_interleave(5)
    features = torch.randn(4, 10)[state] + 0.7 * torch.randn(2000, 10)
    coarse = state[::2]
    if setting.is_fixed:
        x, y = features[::2], coarse
    else:
        x, y = features[: len(coarse)], coarse
    net = nn.Sequential(nn.Linear(10, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 4))
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3, weight_decay=1e-2)
    with setting.watch(net):
        for inputs, labels in batches(200, 50, x, y):
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(inputs), labels).backward()
            optimizer.step()


PROGRAM = Program(
    name="labels-of-another-rate",
    train=_train,
    source="questions about frame rates of speech features and labels",
    truth=Truth(rules=("loss-does-not-fall", "predictions-ignore-input")),
)
