"""Thirty labels and many rows without one: the student agrees with a teacher that is a moving mean of it, with a rising weight."""

from __future__ import annotations

from copy import deepcopy

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting


class Students(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.student = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 3))
        self.teacher = deepcopy(self.student)
        self.teacher.requires_grad_(False)

    def forward(self, rows: Tensor, again: Tensor) -> tuple[Tensor, Tensor]:
        with torch.no_grad():
            goal = torch.softmax(self.teacher(again), dim=1)
        return self.student(rows), goal

    @torch.no_grad()
    def follow(self, decay: float) -> None:
        for slow, fast in zip(self.teacher.parameters(), self.student.parameters(), strict=True):
            slow.lerp_(fast, 1 - decay)


def _train(setting: Setting) -> None:
    centers = 2 * torch.randn(3, 10)
    labels = torch.randint(0, 3, (1500,))
    rows = centers[labels] + 1.2 * torch.randn(1500, 10)
    model = Students()
    optimizer = torch.optim.Adam(model.student.parameters(), lr=1e-3)
    with setting.watch(model):
        for step, (x,) in enumerate(batches(700, 48, rows[30:])):
            both = torch.cat([rows[:30], x])
            logits, goal = model(both + 0.2 * torch.randn_like(both), both + 0.2 * torch.randn_like(both))
            weight = min(1.0, step / 300)
            agreement = nn.functional.mse_loss(torch.softmax(logits, dim=1), goal)
            loss = nn.functional.cross_entropy(logits[:30], labels[:30]) + weight * agreement
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            model.follow(0.99)


PROGRAM = Program(name="mean-teacher", train=_train, source="Tarvainen and Valpola 2017")
