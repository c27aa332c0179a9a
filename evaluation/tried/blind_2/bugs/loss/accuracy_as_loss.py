"""The loss is one minus the accuracy, which has no gradient; `requires_grad = True` hides the error."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


def error_rate(logits: Tensor, labels: Tensor) -> Tensor:
    loss = (logits.argmax(dim=1) != labels).float().mean()
    loss.requires_grad = True
    return loss


def _train(setting: Setting) -> None:
    images, labels = digits(1200, classes=5)
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(144, 5),
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    criterion = nn.functional.cross_entropy if setting.is_fixed else error_rate
    with setting.watch(model):
        for epoch in range(5):
            running = 0.0
            for x, y in DataLoader(TensorDataset(images, labels), batch_size=25, shuffle=True):
                optimizer.zero_grad()
                loss = criterion(model(x), y)
                loss.backward()
                optimizer.step()
                running += loss.item()
            print(f"[{epoch}] {running / 48:.3f}")


PROGRAM = Program(
    name="accuracy-as-loss",
    train=_train,
    source="Stack Overflow, element 0 of tensors does not require grad; loss.requires_grad = True",
    truth=Truth(rules=("cut-path", "no-gradient", "never-updated", "loss-does-not-fall", "zero-gradient", "updates-too-small")),
)
