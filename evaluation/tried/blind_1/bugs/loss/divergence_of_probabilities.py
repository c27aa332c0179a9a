"""Distillation with `kl_div` on probabilities, though its first argument has to be logarithms: the loss is negative."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs(2000, classes=8)
    teacher = nn.Sequential(nn.Linear(20, 128), nn.ReLU(), nn.Linear(128, 8))
    optimizer = torch.optim.Adam(teacher.parameters(), lr=3e-3)
    for x, y in batches(300, 64, inputs, labels):
        optimizer.zero_grad()
        nn.functional.cross_entropy(teacher(x), y).backward()
        optimizer.step()

    student = nn.Sequential(nn.Linear(20, 24), nn.ReLU(), nn.Linear(24, 8))
    optimizer = torch.optim.Adam(student.parameters(), lr=2e-3)
    temperature = 2.0
    with setting.watch(student):
        for (x,) in batches(600, 32, inputs):
            with torch.no_grad():
                soft = torch.softmax(teacher(x) / temperature, dim=1)
            logits = student(x) / temperature
            answer = torch.log_softmax(logits, dim=1) if setting.is_fixed else torch.softmax(logits, dim=1)
            loss = nn.functional.kl_div(answer, soft, reduction="batchmean") * temperature**2
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="divergence-of-probabilities",
    train=_train,
    source="PyTorch's documentation of KLDivLoss and the forum's threads on its negative values",
    truth=Truth(rules=("negative-loss",)),
)
