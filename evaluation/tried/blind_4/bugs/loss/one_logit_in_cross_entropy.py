"""Churn is yes or no, the network has one output, and the loss is cross entropy over this one class, so it is zero."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


def _data() -> tuple[Tensor, Tensor]:
    customers = torch.randn(2000, 12)
    leaves = ((customers[:, 0] * customers[:, 1] + customers[:, 2]) > 0.3).float()
    return customers, leaves.unsqueeze(1)


def _train(setting: Setting) -> None:
    customers, leaves = _data()
    model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))
    criterion = nn.BCEWithLogitsLoss() if setting.is_fixed else nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for _ in range(15):
            for batch in torch.randperm(1600).split(50):
                optimizer.zero_grad()
                loss = criterion(model(customers[batch]), leaves[batch])
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        print("accuracy", ((model(customers[1600:]) > 0) == leaves[1600:].bool()).float().mean().item())


PROGRAM = Program(
    name="one-logit-in-cross-entropy",
    train=_train,
    source="PyTorch forum: my loss is always zero, CrossEntropyLoss with one output",
    truth=Truth(rules=("softmax-over-one", "zero-gradient", "loss-does-not-fall", "initial-loss")),
)
