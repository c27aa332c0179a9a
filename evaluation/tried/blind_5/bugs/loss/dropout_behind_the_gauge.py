"""Dropout comes behind the last layer of a regression, so that half of the predicted flows are zero while training."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    is_fixed = setting.is_fixed
    rain = torch.randn(1500, 9)
    flow = torch.relu(rain[:, :2]).sum(1, keepdim=True) + 0.4 * rain[:, 2:3]
    flow = (flow - flow.mean()) / flow.std()
    model = nn.Sequential()
    model.add_module("lower", nn.Linear(9, 48))
    model.add_module("bend", nn.ReLU())
    if is_fixed:
        model.add_module("drop", nn.Dropout(0.1))
    model.add_module("gauge", nn.Linear(48, 1))
    if not is_fixed:
        model.add_module("drop", nn.Dropout(0.5))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for _ in range(10):
            model.train()
            for chosen in torch.randperm(1300).split(50):
                loss = nn.functional.mse_loss(model(rain[chosen]), flow[chosen])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                valid = nn.functional.mse_loss(model(rain[1300:]), flow[1300:])
            print("training", loss.item(), "validation", valid.item())


PROGRAM = Program(
    name="dropout-behind-the-gauge",
    train=_train,
    source="NeuraLint (Nikanjam et al. 2021): dropout in the wrong place; StackOverflow, dropout before the output of a regression",
    truth=Truth(rules=("dropout-before-loss", "loss-does-not-fall"), nodes=("model.drop", "model.gauge", "model: output")),
)
