"""The average of the student's weights has a plus for a minus: the teacher moves away from the student, further in each step."""

from __future__ import annotations

import copy

import torch
from torch import nn

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting, Truth


class Pair(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.student = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 5))
        self.teacher = copy.deepcopy(self.student).requires_grad_(False)

    @torch.no_grad()
    def average(self, share: float, sign: int) -> None:
        for slow, fast in zip(self.teacher.parameters(), self.student.parameters(), strict=True):
            gap = slow - fast
            slow.add_(sign * share * gap)


def _train(setting: Setting) -> None:
    x, y = class_blobs(3000)
    pair = Pair()
    optimizer = torch.optim.Adam(pair.student.parameters(), lr=3e-3)
    sign = -1 if setting.is_fixed else 1
    with setting.watch(pair):
        for step in range(180):
            labeled, others = torch.randint(500, (32,)), torch.randint(3000, (64,))
            supervised = nn.functional.cross_entropy(pair.student(x[labeled]), y[labeled])
            with torch.no_grad():
                goal = pair.teacher(x[others])
            consistency = nn.functional.mse_loss(pair.student(x[others] + 0.1 * torch.randn(64, 20)), goal)
            loss = supervised + 0.3 * consistency
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            pair.average(0.05, sign)
            if step % 36 == 35:
                print(f"{step}: {supervised.item():.3f}, {consistency.item():.4g}")


PROGRAM = Program(
    name="teacher-runs-away",
    train=_train,
    source="GitHub issues on moving averages of weights with add_ for sub_",
    truth=Truth(
        rules=(
            "runaway-growth",
            "diverging-loss",
            "exploding-gradient",
            "growing-with-depth",
            "near-overflow",
            "updates-too-large",
        ),
        nodes=(
            "mse_loss",
            "mse_loss: target",
            "model.teacher",
            "model.teacher: output",
            *(f"model.teacher.{n}{part}" for n in (0, 1, 2) for part in ("", ": output", ".weight", ".bias")),
            *(f"model.student.{n}{part}" for n in (0, 1, 2) for part in ("", ": output", ".weight", ".bias")),
        ),
    ),
)
