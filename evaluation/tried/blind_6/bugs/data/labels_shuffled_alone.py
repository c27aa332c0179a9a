"""The inputs and the labels are shuffled with two different permutations."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs()
    order = torch.randperm(len(inputs))
    inputs = inputs[order]
    labels = labels[order] if setting.is_fixed else labels[torch.randperm(len(labels))]
    model = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 5))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    hits = 0.0
    with setting.watch(model):
        for x, y in batches(200, 64, inputs, labels):
            logits = model(x)
            loss = F.cross_entropy(logits, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            hits = 0.95 * hits + 0.05 * (logits.argmax(1) == y).float().mean().item()
    print(f"accuracy {hits:.2f}")


PROGRAM = Program(
    name="labels-shuffled-alone",
    train=_train,
    source="Humbatova et al. 2020, wrong labels in the training data",
    truth=Truth(
        rules=("predictions-ignore-input", "loss-does-not-fall"),
        nodes=("cross_entropy: target", "model: input", "model.2: output", "model.2", "cross_entropy"),
    ),
)
