"""`kl_div` gets the teacher's scores where it wants probabilities, and takes the logarithm of negative numbers."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth

TEMPERATURE = 2.0


def _train(setting: Setting) -> None:
    x, y = class_blobs(1500, 20, 5)
    teacher = nn.Sequential(nn.Linear(20, 128), nn.ReLU(), nn.Linear(128, 5))
    learn = torch.optim.Adam(teacher.parameters(), lr=5e-3)
    for some, labels in batches(150, 50, x, y):
        learn.zero_grad()
        F.cross_entropy(teacher(some), labels).backward()
        learn.step()
    teacher.requires_grad_(False)

    student = nn.Sequential(nn.Linear(20, 24), nn.ReLU(), nn.Linear(24, 5))
    optimizer = torch.optim.Adam(student.parameters(), lr=5e-3)
    with setting.watch(student):
        for some, labels in batches(200, 50, x, y):
            scores = student(some)
            wanted = teacher(some) / TEMPERATURE
            if setting.is_fixed:
                wanted = F.softmax(wanted, dim=1)
            soft = F.kl_div(F.log_softmax(scores / TEMPERATURE, dim=1), wanted, reduction="batchmean")
            loss = 0.5 * F.cross_entropy(scores, labels) + 0.5 * TEMPERATURE**2 * soft
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="teachers-scores-as-target",
    train=_train,
    source="PyTorch forum, KLDivLoss returns NaN: the target has to be probabilities",
    truth=Truth(rules=("nan-origin",), nodes=("kl_div", "kl_div: target"), step=0),
)
