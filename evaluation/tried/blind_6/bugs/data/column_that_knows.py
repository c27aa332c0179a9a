"""Churn of customers: the column to predict is still among the columns to predict it from."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    columns = torch.randn(3000, 12)
    score = columns[:, 0] - columns[:, 1] * columns[:, 2] + 0.7 * torch.randn(3000)
    has_left = (score > 0).float()
    columns[:, 7] = has_left
    if setting.is_fixed:
        columns = torch.cat([columns[:, :7], columns[:, 8:]], dim=1)
    model = nn.Sequential(nn.Linear(columns.shape[1], 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for x, y in batches(250, 64, columns, has_left):
            loss = F.binary_cross_entropy_with_logits(model(x).squeeze(1), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"accuracy {((model(columns).squeeze(1) > 0) == has_left.bool()).float().mean():.2f}")


PROGRAM = Program(
    name="column-that-knows",
    train=_train,
    source="Kaggle forums, leakage of the target",
    truth=Truth(rules=("feature-is-label",), nodes=("model: input", "binary_cross_entropy_with_logits: target")),
)
