"""Self-distillation: the targets are mixed with the answers of a moving average of the network."""

from __future__ import annotations

import copy

import torch
from torch import nn

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    images, labels = digits(1200, classes=6, size=10)
    noisy = torch.where(torch.rand(1200) < 0.15, torch.randint(6, (1200,)), labels)
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 16, 3, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Dropout(0.2),
        nn.Linear(400, 6),
    )
    teacher = copy.deepcopy(model).eval().requires_grad_(False)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for step, (x, y) in enumerate(batches(260, 32, images, noisy)):
            logits = model(x)
            loss = nn.functional.cross_entropy(logits, y)
            if step >= 60:
                with torch.no_grad():
                    target = teacher(x + 0.05 * torch.randn_like(x)).softmax(dim=1)
                loss = 0.6 * loss + 0.4 * nn.functional.cross_entropy(logits, target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            with torch.no_grad():
                for slow, fast in zip(teacher.parameters(), model.parameters(), strict=True):
                    slow.lerp_(fast, 0.05)
    with torch.no_grad():
        print((teacher(images).argmax(dim=1) == labels).float().mean().item())


PROGRAM = Program(name="learning-from-its-own-average", train=_train, source="Tarvainen and Valpola 2017 (mean teacher)")
