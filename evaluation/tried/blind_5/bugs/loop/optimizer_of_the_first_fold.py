"""The network is made anew for the second fold of a cross-validation, and the optimizer still holds that of the first."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting, Truth


def _network() -> nn.Sequential:
    return nn.Sequential(nn.Linear(20, 40), nn.Tanh(), nn.Linear(40, 5))


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs()
    folds = torch.randperm(2000).split(1000)
    model = _network()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for _ in range(100):
        chosen = folds[0][torch.randint(0, 1000, (50,))]
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(inputs[chosen]), labels[chosen]).backward()
        optimizer.step()
    model = _network()
    if setting.is_fixed:
        optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for epoch in range(12):
            for part in torch.randperm(1000).split(50):
                chosen = folds[1][part]
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(inputs[chosen]), labels[chosen])
                loss.backward()
                optimizer.step()
            print("second fold, epoch", epoch, loss.item())


PROGRAM = Program(
    name="optimizer-of-the-first-fold",
    train=_train,
    source="Humbatova et al. 2020: wrong state sharing; PyTorch forum, k-fold cross validation and the optimizer",
    truth=Truth(
        rules=(
            "not-in-optimizer",
            "never-updated",
            "gradients-left-over",
            "loss-does-not-fall",
            "optimizer-never-steps",
            "frozen-as-initialized",
            "predictions-ignore-input",
            "exploding-gradient",
        ),
        nodes=("model", "model.0", "model.2"),
    ),
)
