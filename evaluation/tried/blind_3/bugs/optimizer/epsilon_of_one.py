"""Adam's epsilon is 1.0, copied from a network whose gradients are far larger."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import clients


def _train(setting: Setting) -> None:
    data = TensorDataset(*clients(1600))
    net = nn.Sequential(nn.Linear(12, 64), nn.GELU(), nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 2))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3, eps=1e-8 if setting.is_fixed else 1.0)
    with setting.watch(net):
        for _ in range(8):
            for rows, stays in DataLoader(data, batch_size=40, shuffle=True):
                loss = nn.functional.cross_entropy(net(rows), stays)
                optimizer.zero_grad(set_to_none=False)
                loss.backward()
                optimizer.step()


PROGRAM = Program(
    name="epsilon-of-one",
    train=_train,
    source="TensorFlow's documentation of Adam recommends 1.0 for Inception; questions about PyTorch",
    truth=Truth(rules=("updates-too-small", "loss-does-not-fall", "predictions-ignore-input")),
)
