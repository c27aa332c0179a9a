"""Errors of a batch are added up by `reduction="sum"`, and the rate is the one that was found for their mean."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import orchards


def _train(setting: Setting) -> None:
    trees, yields = orchards(1600)
    loader = DataLoader(TensorDataset(trees[:1280], yields[:1280]), batch_size=128, shuffle=True)
    model = nn.Sequential(nn.Linear(8, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
    criterion = nn.SmoothL1Loss(reduction="mean" if setting.is_fixed else "sum")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    with setting.watch(model):
        for epoch in range(25):
            for x, y in loader:
                optimizer.zero_grad()
                loss = criterion(model(x), y)
                loss.backward()
                optimizer.step()
            with torch.no_grad():
                print(f"epoch {epoch}: test {nn.functional.smooth_l1_loss(model(trees[1280:]), yields[1280:]):.3f}")


PROGRAM = Program(
    name="counts-of-a-whole-shift",
    train=_train,
    source="PyTorch forum, reduction sum and the learning rate",
    truth=Truth(
        rules=("summed-loss", "updates-too-large", "saturated-units", "exploding-gradient", "oscillating-loss"),
        nodes=("smooth_l1_loss",),
    ),
)
