"""`nn.init.uniform_` without limits draws from 0 to 1: all weights are positive and large, and every tanh is saturated."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import shapes


def _train(setting: Setting) -> None:
    data = shapes(1200, size=8)
    model = nn.Sequential(nn.Flatten(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 2))
    for module in model:
        if isinstance(module, nn.Linear):
            if setting.is_fixed:
                nn.init.xavier_uniform_(module.weight)
            else:
                nn.init.uniform_(module.weight)
            nn.init.zeros_(module.bias)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
    with setting.watch(model):
        for x, y in batches(700, 32, data.images, data.centers):
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="weights-from-zero-to-one",
    train=_train,
    source="Humbatova et al. (weight initialisation), PyTorch forum on nn.init.uniform_",
    truth=Truth(
        rules=("saturated-units", "initial-loss", "growing-with-depth"),
        nodes=tuple(f"model.{k}{what}" for k in (1, 2, 3, 4) for what in ("", ": output", ".weight")),
    ),
)
