"""RMSprop keeps the learning rate of a tenth that was right for SGD."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import regression_table
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, targets = regression_table(features=14)
    model = nn.Sequential(nn.Linear(14, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3 if setting.is_fixed else 0.1)
    with setting.watch(model):
        for _ in range(8):
            for chosen in torch.randperm(1800).split(50):
                loss = nn.functional.mse_loss(model(inputs[chosen]), targets[chosen])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        print("loss", nn.functional.mse_loss(model(inputs[1800:]), targets[1800:]).item(), "variance", targets.var().item())


PROGRAM = Program(
    name="rmsprop-with-a-tenth",
    train=_train,
    source="Islam et al. 2019 and DeepFD: wrong learning rate for the chosen optimizer",
    truth=Truth(
        rules=(
            "updates-too-large",
            "diverging-loss",
            "loss-does-not-fall",
            "runaway-growth",
            "dead-relu",
            "oscillating-loss",
            "gradient-spike",
            "exploding-gradient",
            "predictions-ignore-input",
            "same-for-all-samples",
            "zero-gradient",
            "dormant-units",
            "logit-growth",
            "near-overflow",
            "growing-with-depth",
            "rank-collapse",
        ),
    ),
)
