"""A teacher is the moving average of its student, and guides it on the samples without a label."""

from __future__ import annotations

import copy

import torch
from torch import Tensor, nn

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting


class Both(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.student = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, 3))
        self.teacher = copy.deepcopy(self.student).requires_grad_(False)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return self.student(x), self.teacher(x)


def _train(setting: Setting) -> None:
    x, y = class_blobs(2000, features=12, classes=3)
    labelled = 200
    model = Both()
    optimizer = torch.optim.Adam(model.student.parameters(), lr=4e-3)
    with setting.watch(model):
        for step in range(200):
            known, other = torch.randint(0, labelled, (32,)), torch.randint(labelled, 1800, (96,))
            rows = torch.cat([known, other])
            noisy = x[rows] + 0.15 * torch.randn(128, 12)
            student, teacher = model(noisy)
            supervised = nn.functional.cross_entropy(student[:32], y[known])
            agreement = nn.functional.mse_loss(student[32:].softmax(dim=1), teacher[32:].softmax(dim=1))
            loss = supervised + min(step / 80, 1.0) * 2 * agreement
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            with torch.no_grad():
                for slow, fast in zip(model.teacher.parameters(), model.student.parameters(), strict=True):
                    slow.lerp_(fast, 0.02)
            if step % 40 == 39:
                print(f"{step}: {supervised.item():.4f}, agreement {agreement.item():.4f}")


PROGRAM = Program(name="teacher-made-of-past-students", train=_train, source="Tarvainen and Valpola 2017, mean teachers")
