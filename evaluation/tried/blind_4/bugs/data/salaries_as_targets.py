"""Salaries of tens of thousands are fitted as they are, by plain gradient descent."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    staff = torch.randn(1200, 9)
    salaries = 52_000 + 9_000 * torch.tanh(staff[:, :1] + staff[:, 1:2]) + 4_000 * staff[:, 2:3] + 1_000 * torch.randn(1200, 1)
    targets = (salaries - 52_000) / 9_000 if setting.is_fixed else salaries
    model = nn.Sequential(nn.Linear(9, 32), nn.ReLU(), nn.Linear(32, 1))
    criterion = nn.MSELoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with setting.watch(model):
        for epoch in range(12):
            for index in torch.randperm(1000).split(25):
                loss = criterion(model(staff[index]), targets[index])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(epoch, loss.item())


PROGRAM = Program(
    name="salaries-as-targets",
    train=_train,
    source="StackOverflow: the loss of my regression is nan; the targets are not scaled",
    truth=Truth(
        rules=(
            "initial-loss", "diverging-loss", "nan-origin", "exploding-gradient", "runaway-growth", "gradient-spike", "updates-too-large",
            "dead-relu", "predictions-ignore-input", "near-overflow", "same-for-all-samples",
        )
    ),
)  # fmt: skip
