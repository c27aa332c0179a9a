"""With gradient accumulation, only `zero_grad` waits for eight batches; `step` is called after each with all gradients so far."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    images, labels = digits(1500)
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, stride=2, padding=1),
        nn.GroupNorm(2, 8),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(288, 32),
        nn.ReLU(),
        nn.Linear(32, 6),
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    accumulate = 8
    with setting.watch(model):
        for step, (x, y) in enumerate(batches(800, 8, images, labels)):
            loss = nn.functional.cross_entropy(model(x), y) / accumulate
            loss.backward()
            is_last = (step + 1) % accumulate == 0
            if is_last or not setting.is_fixed:
                optimizer.step()
            if is_last:
                optimizer.zero_grad()


PROGRAM = Program(
    name="step-in-every-micro-batch",
    train=_train,
    source="PyTorch forum, gradient accumulation with the step outside the condition",
    truth=Truth(rules=("gradients-left-over",)),
)
