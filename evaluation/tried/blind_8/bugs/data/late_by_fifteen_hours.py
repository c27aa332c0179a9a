"""A train is late after 15 minutes. The delays are in hours, so no train ever is."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    journeys = torch.randn(2000, 9)
    hours = 0.2 + 0.15 * (journeys[:, 0] * journeys[:, 1] + journeys[:, 2].abs()) + 0.02 * torch.randn(2000)
    delays = hours * 60 if setting.is_fixed else hours
    is_late = (delays > 15).float()
    train, test = slice(0, 1600), slice(1600, 2000)
    really_late = hours[test] > 0.25
    model = nn.Sequential(nn.Linear(9, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 1))
    criterion = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.RMSprop(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(10):
            for chosen in torch.randperm(1600).split(64):
                optimizer.zero_grad()
                loss = criterion(model(journeys[train][chosen]).squeeze(1), is_late[train][chosen])
                loss.backward()
                optimizer.step()
            with torch.no_grad():
                caught = (model(journeys[test]).squeeze(1) > 0) & really_late
            print(f"epoch {epoch}: found {caught.sum() / really_late.sum():.2f}")


PROGRAM = Program(
    name="late-by-fifteen-hours",
    train=_train,
    source="Humbatova et al. 2020, training data: wrong labels, units mixed up",
    truth=Truth(
        rules=("constant-target",),
        nodes=("binary_cross_entropy_with_logits: target", "binary_cross_entropy_with_logits", "model.4: output"),
    ),
)
