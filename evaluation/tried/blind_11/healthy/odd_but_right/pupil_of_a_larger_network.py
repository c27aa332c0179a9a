"""A small network learns from the softened answers of a large one, which is frozen, and from labels."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting


def mlp(width: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(20, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 5))


def taught(samples: Tensor, labels: Tensor) -> nn.Module:
    teacher = mlp(160)
    optimizer = torch.optim.Adam(teacher.parameters(), lr=2e-3)
    for _ in range(6):
        for rows in torch.randperm(len(samples)).split(50):
            optimizer.zero_grad()
            nn.functional.cross_entropy(teacher(samples[rows]), labels[rows]).backward()
            optimizer.step()
    return teacher.eval().requires_grad_(False)


def _train(setting: Setting) -> None:
    samples, labels = class_blobs(2000)
    teacher = taught(samples[:1600], labels[:1600])
    student = mlp(24)
    optimizer = torch.optim.Adam(student.parameters(), lr=4e-3)
    temperature = 3.0
    with setting.watch(student):
        for epoch in range(5):
            student.train()
            for rows in torch.randperm(1600).split(40):
                logits = student(samples[rows])
                with torch.no_grad():
                    soft = torch.softmax(teacher(samples[rows]) / temperature, dim=1)
                distance = nn.functional.kl_div(torch.log_softmax(logits / temperature, dim=1), soft, reduction="batchmean")
                loss = 0.7 * temperature**2 * distance + 0.3 * nn.functional.cross_entropy(logits, labels[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            student.eval()
            with torch.no_grad():
                accuracy = (student(samples[1600:]).argmax(1) == labels[1600:]).float().mean().item()
            print(f"epoch {epoch}: {loss.item():.4f}, accuracy {accuracy:.3f}")


PROGRAM = Program(name="pupil-of-a-larger-network", train=_train, source="Hinton et al. 2015, distillation")
