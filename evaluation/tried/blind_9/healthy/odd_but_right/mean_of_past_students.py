"""Forty samples have labels. On all others, the student agrees with a teacher that is the mean of its past weights."""

from __future__ import annotations

import copy

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.worlds import spirals


def mlp() -> nn.Sequential:
    return nn.Sequential(nn.Linear(2, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Dropout(0.1), nn.Linear(48, 3))


def shaken(points: Tensor) -> Tensor:
    return points + 0.05 * torch.randn_like(points)


def _train(setting: Setting) -> None:
    points, arms = spirals(1500)
    student = mlp()
    teacher = copy.deepcopy(student).requires_grad_(False)
    optimizer = torch.optim.Adam(student.parameters(), lr=4e-3)
    with setting.watch(student):
        for step in range(260):
            known, unknown = torch.randint(40, (20,)), torch.randint(40, 1500, (60,))
            scores = student(shaken(points[torch.cat([known, unknown])]))
            with torch.no_grad():
                believed = teacher(shaken(points[unknown])).softmax(dim=1)
            agreement = nn.functional.mse_loss(scores[20:].softmax(dim=1), believed)
            loss = nn.functional.cross_entropy(scores[:20], arms[known]) + min(1.0, step / 80) * agreement
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            with torch.no_grad():
                for old, new in zip(teacher.parameters(), student.parameters(), strict=True):
                    old.mul_(0.97).add_(new, alpha=0.03)
            if step % 52 == 51:
                with torch.no_grad():
                    right = (teacher(points).argmax(dim=1) == arms).float().mean()
                print(f"{step}: {loss.item():.3f}, teacher {right.item():.2f}")


PROGRAM = Program(name="mean-of-past-students", train=_train, source="Tarvainen and Valpola 2017, mean teacher")
