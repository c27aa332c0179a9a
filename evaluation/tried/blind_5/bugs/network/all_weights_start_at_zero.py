"""All layers of a classifier of stars are set to zero before training, so that no unit ever differs from another."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting, Truth


def _zero(module: nn.Module) -> None:
    if isinstance(module, nn.Linear):
        nn.init.zeros_(module.weight)
        nn.init.zeros_(module.bias)


def _train(setting: Setting) -> None:
    spectra, classes = class_blobs(features=25, classes=4)
    model = nn.Sequential(nn.Linear(25, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU(), nn.Linear(40, 4))
    if not setting.is_fixed:
        model.apply(_zero)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for epoch in range(6):
            for chosen in torch.randperm(2000).split(50):
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(spectra[chosen]), classes[chosen])
                loss.backward()
                optimizer.step()
            print(epoch, loss.item())


PROGRAM = Program(
    name="all-weights-start-at-zero",
    train=_train,
    source="Humbatova et al. 2020: wrong weights initialization; TheDeepChecker: unbreaking symmetry",
    truth=Truth(
        rules=(
            "equal-weights",
            "zero-gradient",
            "predictions-ignore-input",
            "same-for-all-samples",
            "loss-does-not-fall",
            "never-updated",
            "dead-relu",
            "vanishing-gradient",
            "dormant-units",
            "weights-collapse",
            "rank-collapse",
            "frozen-as-initialized",
        ),
        nodes=("model.0", "model.2", "model.4", "model.1", "model.3"),
    ),
)
