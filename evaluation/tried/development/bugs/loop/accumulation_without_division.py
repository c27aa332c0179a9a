"""Gradients of 16 batches are added up and not divided, so the steps are 16 times as large."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs()
    model = nn.Sequential(nn.Linear(20, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 5))
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    with setting.watch(model):
        for number, (x, y) in enumerate(batches(8000, 8, inputs, labels)):
            loss = nn.functional.cross_entropy(model(x), y)
            if setting.is_fixed:
                loss = loss / 16
            loss.backward()
            if number % 16 == 15:
                optimizer.step()
                optimizer.zero_grad()


PROGRAM = Program(
    name="accumulation-without-division",
    train=_train,
    source="Hugging Face, gradient accumulation",
    truth=Truth(
        rules=("updates-too-large", "exploding-gradient", "diverging-loss", "oscillating-loss", "runaway-growth", "saturated-units")
    ),
)
