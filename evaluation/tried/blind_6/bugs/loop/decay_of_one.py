"""A weight decay of 1 with Adam, which adds it to the gradients: all weights shrink to nothing."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs(classes=4)
    model = nn.Sequential(nn.Linear(20, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 4))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3, weight_decay=1e-5 if setting.is_fixed else 1.0)
    with setting.watch(model):
        for x, y in batches(250, 64, inputs, labels):
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"accuracy {(model(inputs).argmax(1) == labels).float().mean():.2f}")


PROGRAM = Program(
    name="decay-of-one",
    train=_train,
    source="Humbatova et al. 2020, wrong regularization; forums on weight_decay of Adam",
    truth=Truth(
        rules=("weights-collapse", "same-for-all-samples", "predictions-ignore-input", "loss-does-not-fall", "vanishing-gradient"),
        nodes=("model.0", "model.2", "model.4", "model.0.weight", "model.2.weight", "model.4.weight", "model.4: output"),
    ),
)
