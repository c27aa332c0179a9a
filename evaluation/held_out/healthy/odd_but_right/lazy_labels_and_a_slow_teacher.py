"""Few pictures have labels. For the others, a slow average of the network says what the network should say."""

from __future__ import annotations

import copy

import torch
from torch import nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    images, labels = digits(1600)
    x = images.flatten(1) - 0.4
    student = nn.Sequential(nn.Linear(144, 96), nn.ReLU(), nn.Dropout(0.2), nn.Linear(96, 6))
    teacher = copy.deepcopy(student).requires_grad_(False).eval()
    optimizer = torch.optim.Adam(student.parameters(), lr=2e-3)
    with setting.watch(student):
        for step in range(200):
            known, unknown = torch.randint(0, 240, (30,)), torch.randint(240, 1400, (60,))
            supervised = nn.functional.cross_entropy(student(x[known]), labels[known])
            with torch.no_grad():
                wanted = teacher(x[unknown]).softmax(dim=1)
            answers = student(x[unknown] + 0.1 * torch.randn(60, 144)).softmax(dim=1)
            consistency = nn.functional.mse_loss(answers, wanted)
            loss = supervised + min(1.0, step / 80) * 3 * consistency
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            with torch.no_grad():
                for slow, fast in zip(teacher.parameters(), student.parameters(), strict=True):
                    slow.lerp_(fast, 0.03)
            if step % 40 == 39:
                right = (teacher(x[1400:]).argmax(dim=1) == labels[1400:]).float().mean()
                print(f"{step}: {loss.item():.4f}, teacher right {right.item():.3f}")


PROGRAM = Program(name="lazy-labels-and-a-slow-teacher", train=_train, source="Tarvainen and Valpola 2017, mean teacher")
