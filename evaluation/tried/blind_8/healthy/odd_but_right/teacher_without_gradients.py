"""A student learns from some labels and, on all the rest, from the moving average of itself."""

from __future__ import annotations

import copy

import torch
import torch.nn.functional as F
from torch import nn

from evaluation.program import Program, Setting
from evaluation.worlds import spirals


def _train(setting: Setting) -> None:
    points, arms = spirals(1500)
    student = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 3))
    teacher = copy.deepcopy(student).requires_grad_(False)
    optimizer = torch.optim.Adam(student.parameters(), lr=5e-3)
    with setting.watch(student):
        for step in range(250):
            labelled, others = torch.randint(150, (32,)), torch.randint(1500, (64,))
            loss = F.cross_entropy(student(points[labelled]), arms[labelled])
            with torch.no_grad():
                wanted = teacher(points[others] + 0.02 * torch.randn(64, 2)).softmax(dim=1)
            guess = student(points[others] + 0.02 * torch.randn(64, 2)).softmax(dim=1)
            loss = loss + min(step / 100, 1.0) * F.mse_loss(guess, wanted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            with torch.no_grad():
                for slow, fast in zip(teacher.parameters(), student.parameters(), strict=True):
                    slow.lerp_(fast, 0.05)


PROGRAM = Program(name="teacher-without-gradients", train=_train, source="Tarvainen and Valpola 2017")
