"""A student is distilled with `kl_div`, which is given its probabilities instead of their logarithms."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting, Truth


def teach(inputs: Tensor, labels: Tensor) -> nn.Module:
    teacher = nn.Sequential(nn.Linear(20, 128), nn.ReLU(), nn.Linear(128, 5))
    optimizer = torch.optim.Adam(teacher.parameters(), lr=5e-3)
    for _ in range(120):
        rows = torch.randint(len(inputs), (100,))
        loss = nn.functional.cross_entropy(teacher(inputs[rows]), labels[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return teacher.eval()


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs()
    teacher = teach(inputs, labels)
    student = nn.Sequential(nn.Linear(20, 24), nn.Tanh(), nn.Linear(24, 5))
    squash = torch.log_softmax if setting.is_fixed else torch.softmax
    optimizer = torch.optim.Adam(student.parameters(), lr=5e-3)
    temperature = 2.0
    with setting.watch(student):
        for step in range(150):
            rows = torch.randint(len(inputs), (64,))
            with torch.no_grad():
                soft = torch.softmax(teacher(inputs[rows]) / temperature, dim=1)
            guess = squash(student(inputs[rows]) / temperature, 1)
            loss = nn.functional.kl_div(guess, soft, reduction="batchmean") * temperature**2
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 30 == 29:
                right = (student(inputs).argmax(1) == labels).float().mean()
                print(f"{step}: {loss.item():.3f}, accuracy {right.item():.2f}")


PROGRAM = Program(
    name="divergence-of-probabilities",
    train=_train,
    source="PyTorch documentation and forum, KLDivLoss expects log-probabilities and gives negative losses without",
    truth=Truth(rules=("negative-loss", "nll-without-log-softmax"), nodes=("softmax", "kl_div", "mul")),
)
