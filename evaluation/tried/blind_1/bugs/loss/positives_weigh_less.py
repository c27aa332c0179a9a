"""The weight of the rare positive samples is the inverse of what it should be, so the classifier says no to everything."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs = torch.randn(4000, 12)
    scores = torch.tanh(inputs @ torch.randn(12, 8)) @ torch.randn(8)
    labels = (scores > scores.quantile(0.92)).float()
    ratio = (labels == 0).sum() / labels.sum()
    criterion = nn.BCEWithLogitsLoss(pos_weight=ratio if setting.is_fixed else 1 / ratio)
    model = nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Linear(48, 1), nn.Flatten(0))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for x, y in batches(700, 64, inputs, labels):
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="positives-weigh-less",
    train=_train,
    source="PyTorch forum, pos_weight as the share of positives instead of negatives per positive",
    truth=Truth(rules=("predictions-ignore-input", "same-for-all-samples")),
)
