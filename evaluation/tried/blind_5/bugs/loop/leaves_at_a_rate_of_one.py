"""A small convolutional network for leaves is trained by SGD with momentum and a learning rate of one."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    leaves, species = digits(count=1200, classes=5, size=14)
    leaves = (leaves - leaves.mean()) / leaves.std()
    model = nn.Sequential(
        nn.Conv2d(1, 12, 3),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(12, 24, 3),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(24 * 4, 48),
        nn.ReLU(),
        nn.Linear(48, 5),
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02 if setting.is_fixed else 1.0, momentum=0.9)
    criterion = nn.CrossEntropyLoss()
    with setting.watch(model):
        for _ in range(6):
            for chosen in torch.randperm(1000).split(25):
                optimizer.zero_grad()
                loss = criterion(model(leaves[chosen]), species[chosen])
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        print("loss", loss.item(), "accuracy", (model(leaves[1000:]).argmax(1) == species[1000:]).float().mean().item())


PROGRAM = Program(
    name="leaves-at-a-rate-of-one",
    train=_train,
    source="Zhang et al. 2021, AUTOTRAINER: dying ReLU by a learning rate that is too high; Humbatova et al. 2020",
    truth=Truth(
        rules=(
            "updates-too-large",
            "dead-relu",
            "diverging-loss",
            "loss-does-not-fall",
            "runaway-growth",
            "exploding-gradient",
            "gradient-spike",
            "nan-origin",
            "predictions-ignore-input",
            "same-for-all-samples",
            "zero-gradient",
            "dormant-units",
            "oscillating-loss",
            "logit-growth",
            "near-overflow",
            "vanishing-gradient",
            "rank-collapse",
        ),
    ),
)
