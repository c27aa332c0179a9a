"""A network ported from TensorFlow 1: its probability of keeping a value, 1.0, became the probability of dropping it."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


class Ported(nn.Module):
    def __init__(self, p: float) -> None:
        super().__init__()
        self.fc1 = nn.Linear(20, 64)
        self.drop = nn.Dropout(p)
        self.fc2 = nn.Linear(64, 5)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc2(self.drop(torch.relu(self.fc1(x))))


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs()
    keep_prob = 1.0
    model = Ported(1 - keep_prob if setting.is_fixed else keep_prob)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for x, y in batches(700, 32, inputs, labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="keep-probability-as-dropout",
    train=_train,
    source="Stack Overflow, keep_prob of TensorFlow 1 and p of nn.Dropout",
    truth=Truth(
        rules=("zero-gradient", "same-for-all-samples", "predictions-ignore-input", "constant-input"),
        nodes=("model.drop", "model.drop: output", "model.fc1", "model.fc1: output", "model.fc2: output", "model: output"),
    ),
)
