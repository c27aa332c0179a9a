"""Layer norm follows the only output of a regression: normalized over one value, it is always the bias."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, regression_table
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, targets = regression_table()
    model = nn.Sequential(
        nn.Linear(10, 48),
        nn.LayerNorm(48),
        nn.GELU(),
        nn.Linear(48, 1),
        nn.Identity() if setting.is_fixed else nn.LayerNorm(1),
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for x, y in batches(700, 32, inputs, targets):
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="layer-norm-over-one-feature",
    train=_train,
    source="PyTorch forum, LayerNorm over a dimension of size 1 gives constants",
    truth=Truth(
        rules=("same-for-all-samples", "predictions-ignore-input", "zero-gradient"),
        nodes=("model.4", "model.4: output", "model: output", "model.3", "model.3: output", "model.0", "model.1"),
    ),
)
