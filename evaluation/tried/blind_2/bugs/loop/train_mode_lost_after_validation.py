"""`model.train()` stands before the loop over epochs, and the validation switches to evaluation for good."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth

EPOCHS, STEPS = 6, 50


def accuracy(model: nn.Module, x: torch.Tensor, y: torch.Tensor) -> float:
    model.eval()
    with torch.no_grad():
        return (model(x).argmax(dim=1) == y).float().mean().item()


def _train(setting: Setting) -> None:
    # Three arms of a spiral.
    labels = torch.randint(3, (1800,))
    radius = torch.rand(1800) * 2
    angle = 2.1 * labels + 1.5 * radius + 0.15 * torch.randn(1800)
    points = torch.stack([radius * angle.cos(), radius * angle.sin()], dim=1)
    model = nn.Sequential(
        nn.Linear(2, 64),
        nn.BatchNorm1d(64),
        nn.SiLU(),
        nn.Dropout(0.2),
        nn.Linear(64, 64),
        nn.BatchNorm1d(64),
        nn.SiLU(),
        nn.Dropout(0.2),
        nn.Linear(64, 3),
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    criterion = nn.CrossEntropyLoss()
    with setting.watch(model):
        model.train()
        for epoch in range(EPOCHS):
            if setting.is_fixed:
                model.train()
            for x, y in batches(STEPS, 30, points[:1500], labels[:1500]):
                optimizer.zero_grad(set_to_none=True)
                loss = criterion(model(x), y)
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: accuracy {accuracy(model, points[1500:], labels[1500:]):.3f}")


PROGRAM = Program(
    name="train-mode-lost-after-validation",
    train=_train,
    source="PyTorch forum, model.train() has to be called in every epoch",
    truth=Truth(rules=("training-in-evaluation-mode",), nodes=("model", "model.1", "model.3", "model.5", "model.7"), step=STEPS),
)
