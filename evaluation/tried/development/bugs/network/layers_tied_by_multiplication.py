"""`[nn.Linear(...)] * 4` makes one layer four times, not four layers."""

from __future__ import annotations

import copy

import torch
from torch import nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs(classes=8)
    blocks = [nn.Sequential(nn.Linear(32, 32), nn.ReLU())] * 4
    if setting.is_fixed:
        blocks = [copy.deepcopy(block) for block in blocks]
    model = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), *blocks, nn.Linear(32, 8))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for x, y in batches(800, 32, inputs, labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="layers-tied-by-multiplication",
    train=_train,
    source="Stack Overflow 56435961",
    truth=Truth(rules=("tied-parameters",), nodes=("model.2.0", "model.2", "model.2.0.weight", "model.3.0.weight", "model.3.0")),
)
