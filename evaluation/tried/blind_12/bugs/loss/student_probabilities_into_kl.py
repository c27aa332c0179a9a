"""The student's probabilities go into the divergence, which expects their logarithms."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    x, y = class_blobs(1500, features=14, classes=5)
    teacher = nn.Sequential(nn.Linear(14, 96), nn.ReLU(), nn.Linear(96, 5))
    first = torch.optim.Adam(teacher.parameters(), lr=5e-3)
    for _ in range(150):
        first.zero_grad()
        nn.functional.cross_entropy(teacher(x), y).backward()
        first.step()
    student = nn.Sequential(nn.Linear(14, 24), nn.ReLU(), nn.Linear(24, 5))
    optimizer = torch.optim.Adam(student.parameters(), lr=5e-3)
    with setting.watch(student):
        for epoch in range(6):
            for rows in torch.randperm(1500).split(50):
                with torch.no_grad():
                    soft = nn.functional.softmax(teacher(x[rows]) / 2, dim=1)
                out = student(x[rows]) / 2
                guess = nn.functional.log_softmax(out, dim=1) if setting.is_fixed else nn.functional.softmax(out, dim=1)
                loss = nn.functional.kl_div(guess, soft, reduction="batchmean")
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            agree = student(x).argmax(dim=1) == y
            print(f"epoch {epoch}: loss {loss.item():.4f}, accuracy {agree.float().mean().item():.3f}")


PROGRAM = Program(
    name="student-probabilities-into-kl",
    train=_train,
    source="https://github.com/microsoft/ProDA/issues/20",
    truth=Truth(
        rules=("negative-loss", "nll-without-log-softmax"), nodes=("kl_div", "kl_div: target", "softmax", "div", "model.2", "model: output")
    ),
)
