"""The slow copy that a network should learn from is the network itself, since nobody copied it. All codes collapse to one."""

from __future__ import annotations

from copy import deepcopy

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.worlds import gratings


class Student(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv2d(3, 12, 3, stride=2), nn.ReLU(), nn.Conv2d(12, 16, 3, stride=2), nn.Flatten())
        self.predict = nn.Linear(64, 64)

    def forward(self, images: Tensor) -> Tensor:
        return self.predict(self.encoder(images))


def _train(setting: Setting) -> None:
    images, _ = gratings(600)
    student = Student()
    teacher = deepcopy(student.encoder).requires_grad_(False) if setting.is_fixed else student.encoder
    optimizer = torch.optim.Adam(student.parameters(), lr=2e-3)
    with setting.watch(student):
        for (x,) in batches(250, 32, images):
            loss = nn.functional.mse_loss(student(x + 0.2 * torch.randn_like(x)), teacher(x))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            with torch.no_grad():
                for slow, fast in zip(teacher.parameters(), student.encoder.parameters(), strict=True):
                    slow.lerp_(fast, 0.002)


PROGRAM = Program(
    name="target-is-the-same-network",
    train=_train,
    source="Grill et al. 2020 (BYOL); issues about a target network without a copy",
    truth=Truth(
        rules=("trained-target", "same-for-all-samples", "weights-collapse", "predictions-ignore-input"),
        nodes=(
            "model: output",
            "model.predict",
            "model.predict: output",
            "model.predict.weight",
            "model.encoder",
            "model.encoder: output",
            *(f"model.encoder.{i}{name}" for i in (0, 1, 2, 3) for name in ("", ".weight", ": output")),
        ),
    ),
)
