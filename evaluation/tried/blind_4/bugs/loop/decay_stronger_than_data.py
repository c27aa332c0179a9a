"""The weight decay of SGD is 0.5 instead of 0.0005, and pulls all weights to zero."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    prototypes = torch.randn(8, 25)
    plants = torch.randint(0, 8, (1600,))
    measures = prototypes[plants] + torch.randn(1600, 25)
    model = nn.Sequential(nn.Linear(25, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 8))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4 if setting.is_fixed else 0.5)
    with setting.watch(model):
        for _ in range(10):
            for rows in torch.randperm(1280).split(32):
                loss = nn.functional.cross_entropy(model(measures[rows]), plants[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        print("accuracy", (model(measures[1280:]).argmax(1) == plants[1280:]).float().mean().item())


PROGRAM = Program(
    name="decay-stronger-than-data",
    train=_train,
    source="Karpathy 2019; Humbatova et al. 2020, training: wrong optimizer settings and regularization",
    truth=Truth(
        rules=(
            "weights-collapse", "predictions-ignore-input", "loss-does-not-fall", "vanishing-gradient", "same-for-all-samples",
            "dormant-units", "dead-relu", "equal-weights",
        )
    ),
)  # fmt: skip
