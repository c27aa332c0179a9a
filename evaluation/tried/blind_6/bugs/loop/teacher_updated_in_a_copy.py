"""The mean teacher is averaged into `state_dict` copies that are never loaded again, so it remains random."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


class MeanTeacher(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.student = nn.Sequential(nn.Linear(20, 48), nn.ReLU(), nn.Linear(48, 5))
        self.teacher = nn.Sequential(nn.Linear(20, 48), nn.ReLU(), nn.Linear(48, 5))
        self.teacher.requires_grad_(False)

    def forward(self, clean: Tensor, noisy: Tensor) -> tuple[Tensor, Tensor]:
        return self.student(noisy), self.teacher(clean)


def _train(setting: Setting) -> None:
    is_fixed = setting.is_fixed
    inputs, labels = class_blobs(count=3000)
    model = MeanTeacher()
    if is_fixed:
        model.teacher.load_state_dict(model.student.state_dict())
    optimizer = torch.optim.Adam(model.student.parameters(), lr=4e-3)
    with setting.watch(model):
        for step, (x, y) in enumerate(batches(250, 64, inputs, labels)):
            logits, wanted = model(x, x + 0.1 * torch.randn_like(x))
            weight = 0.5 * min(1.0, step / 100)
            loss = F.cross_entropy(logits[:16], y[:16]) + weight * F.mse_loss(logits.softmax(1), wanted.softmax(1))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            average = {name: value.clone() for name, value in model.teacher.state_dict().items()}
            for name, value in model.student.state_dict().items():
                average[name].lerp_(value, 0.05)
            if is_fixed:
                model.teacher.load_state_dict(average)
    print(f"accuracy of the teacher {(model.teacher(inputs).argmax(1) == labels).float().mean():.2f}")


PROGRAM = Program(
    name="teacher-updated-in-a-copy",
    train=_train,
    source="GitHub issues of mean-teacher code, EMA weights never copied back; Tarvainen and Valpola 2017",
    truth=Truth(
        rules=("frozen-as-initialized", "never-updated"),
        nodes=(
            "model.teacher",
            "model.teacher.0",
            "model.teacher.2",
            "model.teacher.0.weight",
            "model.teacher.2.weight",
            "model.teacher.0.bias",
            "model.teacher.2.bias",
        ),
    ),
)
