"""Momentum is 0.999, a value of Adam that was given to SGD, so the loss swings up and down."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    wines = torch.randn(1600, 11)
    quality = (wines @ torch.randn(11, 3) + 0.5 * torch.randn(1600, 3)).argmax(1)
    model = nn.Sequential(nn.Linear(11, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9 if setting.is_fixed else 0.999)
    with setting.watch(model):
        for _ in range(12):
            for index in torch.randperm(1280).split(32):
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(wines[index]), quality[index])
                loss.backward()
                optimizer.step()
            with torch.no_grad():
                print("test loss", nn.functional.cross_entropy(model(wines[1280:]), quality[1280:]).item())


PROGRAM = Program(
    name="momentum-of-nearly-one",
    train=_train,
    source="Humbatova et al. 2020, training: wrong settings of the optimizer",
    truth=Truth(
        rules=(
            "oscillating-loss", "diverging-loss", "saturated-units", "updates-too-large", "logit-growth", "runaway-growth",
            "loss-does-not-fall", "exploding-gradient", "overfitting",
        )
    ),
)  # fmt: skip
