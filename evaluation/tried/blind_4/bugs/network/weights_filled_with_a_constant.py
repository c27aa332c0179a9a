"""An init function fills all weights with 0.1, so all units of a layer stay the same."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth


def _init_weights(module: nn.Module) -> None:
    if isinstance(module, nn.Linear):
        nn.init.constant_(module.weight, 0.1)
        nn.init.zeros_(module.bias)


def _train(setting: Setting) -> None:
    cells = torch.randn(1500, 14)
    kinds = torch.stack([cells[:, 0] * cells[:, 1], cells[:, 2], cells[:, 3] - cells[:, 4], cells[:, 5]], dim=1).argmax(1)
    model = nn.Sequential(nn.Linear(14, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 4))
    if not setting.is_fixed:
        model.apply(_init_weights)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for _ in range(12):
            for index in torch.randperm(1200).split(30):
                loss = nn.functional.cross_entropy(model(cells[index]), kinds[index])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        print("accuracy", (model(cells[1200:]).argmax(1) == kinds[1200:]).float().mean().item())


PROGRAM = Program(
    name="weights-filled-with-a-constant",
    train=_train,
    source="Humbatova et al. 2020, training: wrong weights initialization; Ben Braiek and Khomh 2023, TheDeepChecker",
    truth=Truth(
        rules=("equal-weights", "predictions-ignore-input", "loss-does-not-fall"),
        nodes=("model.0", "model.2", "model.4"),
    ),
)
