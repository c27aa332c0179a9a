"""The squares of all weights are added to the loss with a factor of a half, and nothing but the penalty is learned."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs()
    model = nn.Sequential(nn.Linear(20, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 5))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    factor = 1e-4 if setting.is_fixed else 0.5
    with setting.watch(model):
        for _ in range(8):
            for chosen in torch.randperm(1800).split(40):
                fit = nn.functional.cross_entropy(model(inputs[chosen]), labels[chosen])
                loss = fit + factor * sum(parameter.pow(2).sum() for parameter in model.parameters())
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        right = model(inputs[1800:]).argmax(1) == labels[1800:]
    print("fit", fit.item(), "accuracy", right.float().mean().item(), "most frequent", labels.bincount().max().item() / 2000)


PROGRAM = Program(
    name="penalty-of-all-weights",
    train=_train,
    source="TheDeepChecker (Ben Braiek and Khomh 2022): over-regularized loss; Humbatova et al. 2020: wrong regularization",
    truth=Truth(
        rules=(
            "weights-collapse",
            "predictions-ignore-input",
            "same-for-all-samples",
            "vanishing-gradient",
            "dormant-units",
            "loss-does-not-fall",
            "initial-loss",
            "rank-collapse",
            "dead-relu",
        ),
    ),
)
