"""Knowledge distillation: a small student learns from the soft answers of a teacher that is in evaluation mode."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import shapes


def _network(width: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(1, width, 3, stride=2, padding=1),
        nn.BatchNorm2d(width),
        nn.ReLU(),
        nn.Conv2d(width, 2 * width, 3, stride=2, padding=1),
        nn.BatchNorm2d(2 * width),
        nn.ReLU(),
        nn.Flatten(),
        nn.Dropout(0.1),
        nn.Linear(2 * width * 16, 4),
    )


def _train(setting: Setting) -> None:
    data = shapes(2048)
    teacher = _network(24)
    optimizer = torch.optim.Adam(teacher.parameters(), lr=1e-3)
    for _ in range(300):
        index = torch.randint(2048, (32,))
        optimizer.zero_grad()
        nn.functional.cross_entropy(teacher(data.images[index]), data.classes[index]).backward()
        optimizer.step()

    teacher.eval()
    student = _network(6)
    optimizer = torch.optim.Adam(student.parameters(), lr=1e-3)
    temperature = 3.0
    with setting.watch(student):
        for _ in range(12):
            for index in torch.randperm(2048).split(32):
                with torch.no_grad():
                    wanted = teacher(data.images[index])
                logits = student(data.images[index])
                soft = nn.functional.kl_div(
                    nn.functional.log_softmax(logits / temperature, dim=1),
                    nn.functional.softmax(wanted / temperature, dim=1),
                    reduction="batchmean",
                )
                hard = nn.functional.cross_entropy(logits, data.classes[index])
                loss = 0.7 * temperature**2 * soft + 0.3 * hard
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


PROGRAM = Program(name="distillation", train=_train, source="Hinton et al. 2015; PyTorch's tutorial on knowledge distillation")
