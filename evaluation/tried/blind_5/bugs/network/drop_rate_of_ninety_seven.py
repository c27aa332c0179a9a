"""Dropout gets the percentage that should be kept: of a hundred hidden values three are left."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    is_fixed = setting.is_fixed
    inputs, labels = class_blobs()
    keep = 0.97
    model = nn.Sequential(
        nn.Linear(20, 64),
        nn.ReLU(),
        nn.Dropout(1 - keep if is_fixed else keep),
        nn.Linear(64, 64),
        nn.ReLU(),
        nn.Dropout(1 - keep if is_fixed else keep),
        nn.Linear(64, 5),
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for _ in range(9):
            model.train()
            for chosen in torch.randperm(1800).split(50):
                loss = nn.functional.cross_entropy(model(inputs[chosen]), labels[chosen])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                right = model(inputs[1800:]).argmax(1) == labels[1800:]
            print("loss", loss.item(), "accuracy", right.float().mean().item())


PROGRAM = Program(
    name="drop-rate-of-ninety-seven",
    train=_train,
    source="Schoop et al. 2021, UMLAUT: dropout rate too high; StackOverflow, keep_prob and dropout rate",
    truth=Truth(
        rules=(
            "heavy-dropout",
            "loss-does-not-fall",
            "dormant-units",
            "dead-relu",
            "predictions-ignore-input",
            "oscillating-loss",
            "same-for-all-samples",
            "zero-gradient",
            "vanishing-gradient",
            "dropout-before-loss",
            "rank-collapse",
            "updates-too-large",
            "initial-loss",
        ),
        nodes=("model.2", "model.5", "model.3: input", "model.6: input", "model.6", "model.3"),
    ),
)
