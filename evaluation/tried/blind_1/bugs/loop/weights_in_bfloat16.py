"""The whole model is cast to bfloat16, weights included, and most updates are lost when they are rounded."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs()
    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 5))
    dtype = torch.float32 if setting.is_fixed else torch.bfloat16
    model = model.to(dtype)
    optimizer = torch.optim.SGD(model.parameters(), lr=2e-3, momentum=0.9)
    with setting.watch(model):
        for x, y in batches(900, 32, inputs, labels):
            logits = model(x.to(dtype))
            loss = nn.functional.cross_entropy(logits.float(), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="weights-in-bfloat16",
    train=_train,
    source="Zamirai et al. 2020, Revisiting BFloat16 Training: weight updates are cancelled by rounding to nearest",
    truth=Truth(rules=("updates-too-small", "never-updated", "loss-does-not-fall")),
)
