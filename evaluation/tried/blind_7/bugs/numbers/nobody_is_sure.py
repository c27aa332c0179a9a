"""Losses are averaged with the confidence of the annotators. In step 55, nobody was sure of anything, and the sum of weights is zero."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    texts, labels = class_blobs(1600, 16, 3)
    confidence = torch.randint(0, 4, (1600,)).float() / 3
    confidence[55 * 16 : 56 * 16] = 0
    clf = nn.Sequential(nn.Linear(16, 48), nn.GELU(), nn.Linear(48, 3))
    opt = torch.optim.Adam(clf.parameters(), lr=5e-3)
    ce = nn.CrossEntropyLoss(reduction="none")
    least = 1.0 if setting.is_fixed else 0.0
    with setting.watch(clf):
        for epoch in range(3):
            for start in range(0, 1600, 16):
                rows = slice(start, start + 16)
                weights = confidence[rows]
                loss = (weights * ce(clf(texts[rows]), labels[rows])).sum() / weights.sum().clamp(min=least)
                opt.zero_grad()
                loss.backward()
                opt.step()
            print(epoch, loss.item())


PROGRAM = Program(
    name="nobody-is-sure",
    train=_train,
    source="Humbatova et al. 2020, loss: wrong calculation; division by a sum of weights",
    truth=Truth(rules=("nan-origin",), nodes=("div",), step=55),
)
