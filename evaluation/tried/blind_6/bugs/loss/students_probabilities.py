"""Distillation: `kl_div` expects logarithms of the student's probabilities, and gets the probabilities."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs(classes=6)
    teacher = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 6))
    tutor = torch.optim.Adam(teacher.parameters(), lr=5e-3)
    for x, y in batches(200, 64, inputs, labels):
        tutor.zero_grad()
        F.cross_entropy(teacher(x), y).backward()
        tutor.step()
    model = nn.Sequential(nn.Linear(20, 24), nn.ReLU(), nn.Linear(24, 6))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for (x,) in batches(250, 64, inputs):
            with torch.no_grad():
                wanted = teacher(x).softmax(dim=1)
            logits = model(x)
            student = F.log_softmax(logits, dim=1) if setting.is_fixed else F.softmax(logits, dim=1)
            loss = F.kl_div(student, wanted, reduction="batchmean")
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        distance = F.kl_div(model(inputs).log_softmax(1), teacher(inputs).softmax(1), reduction="batchmean")
    print(f"distance {distance:.3f}")


PROGRAM = Program(
    name="students-probabilities",
    train=_train,
    source="PyTorch forum, KLDivLoss is negative",
    truth=Truth(
        rules=("negative-loss", "nll-without-log-softmax"),
        nodes=(
            "kl_div",
            "softmax",
            "model.2",
        ),
    ),
)
