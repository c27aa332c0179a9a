"""Features of the order of 1e4 go through a network in float16, whose largest number is 65504."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    features = 9000 + 400 * torch.randn(2000, 32)
    targets = ((features[:, :1] - 9000) / 400).tanh()
    if setting.is_fixed:
        features = (features - features.mean(dim=0)) / features.std(dim=0)
    model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1)).half()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with setting.watch(model):
        for x, y in batches(800, 32, features.half(), targets.half()):
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="half-precision-overflow",
    train=_train,
    source="Micikevicius et al. 2018",
    truth=Truth(rules=("near-overflow", "nan-origin", "input-not-normalized"), nodes=("model: input", "model.0: output")),
)
