"""Gains and losses of a portfolio are predicted by a network whose output layer has a ReLU."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import regression_table
from evaluation.program import Program, Setting, Truth


class _Portfolio(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.is_fixed = is_fixed
        self.first = nn.Linear(10, 40)
        self.second = nn.Linear(40, 40)
        self.gain = nn.Linear(40, 1)

    def forward(self, market: Tensor) -> Tensor:
        hidden = torch.relu(self.second(torch.relu(self.first(market))))
        gain = self.gain(hidden)
        return gain if self.is_fixed else torch.relu(gain)


def _train(setting: Setting) -> None:
    market, gains = regression_table()
    model = _Portfolio(setting.is_fixed)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for _ in range(8):
            for chosen in torch.randperm(1800).split(40):
                loss = nn.functional.l1_loss(model(market[chosen]), gains[chosen])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        print("error", (model(market[1800:]) - gains[1800:]).abs().mean().item(), "of", gains[1800:].abs().mean().item())


PROGRAM = Program(
    name="gains-behind-a-relu",
    train=_train,
    source="PyTorch forum: a regression never predicts negative values, ReLU behind the last layer",
    truth=Truth(
        rules=(
            "target-out-of-range",
            "dead-relu",
            "same-for-all-samples",
            "zero-gradient",
            "dormant-units",
            "predictions-ignore-input",
            "loss-does-not-fall",
        ),
        nodes=("model.gain", "model: output"),
    ),
)
