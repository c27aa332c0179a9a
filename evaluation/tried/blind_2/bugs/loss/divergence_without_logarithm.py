"""Distillation: `kl_div` gets the probabilities of the student, though it expects their logarithms. The loss is negative."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    x, y = class_blobs(1600, features=16, classes=6)
    teacher = nn.Sequential(nn.Linear(16, 96), nn.ReLU(), nn.Linear(96, 6))
    optimizer = torch.optim.Adam(teacher.parameters(), lr=5e-3)
    for inputs, labels in batches(200, 64, x, y):
        optimizer.zero_grad()
        F.cross_entropy(teacher(inputs), labels).backward()
        optimizer.step()
    teacher.requires_grad_(False).eval()

    student = nn.Sequential(nn.Linear(16, 24), nn.ReLU(), nn.Linear(24, 6))
    optimizer = torch.optim.Adam(student.parameters(), lr=3e-3)
    temperature = 2.0
    with setting.watch(student):
        for (inputs,) in batches(250, 32, x):
            with torch.no_grad():
                soft = F.softmax(teacher(inputs) / temperature, dim=1)
            logits = student(inputs) / temperature
            own = F.log_softmax(logits, dim=1) if setting.is_fixed else F.softmax(logits, dim=1)
            loss = F.kl_div(own, soft, reduction="batchmean") * temperature**2
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="divergence-without-logarithm",
    train=_train,
    source="PyTorch forum, kl_div returns negative values",
    truth=Truth(rules=("negative-loss", "nll-without-log-softmax"), nodes=("model.2: output", "model: output")),
)
