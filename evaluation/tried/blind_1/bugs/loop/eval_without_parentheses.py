"""`model.eval` is written without parentheses, so validation runs with dropout and moves the statistics of batch norm."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import shapes


def _train(setting: Setting) -> None:
    data = shapes(1500, size=12)
    model = nn.Sequential(
        nn.Conv2d(1, 12, 3, stride=2, padding=1),
        nn.BatchNorm2d(12),
        nn.ReLU(),
        nn.Dropout2d(0.3),
        nn.Conv2d(12, 24, 3, stride=2, padding=1),
        nn.BatchNorm2d(24),
        nn.ReLU(),
        nn.Flatten(),
        nn.Dropout(0.4),
        nn.Linear(216, 4),
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    images, classes = data.images[:1200], data.classes[:1200]
    with setting.watch(model):
        for epoch in range(10):
            model.train()
            for x, y in batches(37, 32, images, classes):
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(x), y)
                loss.backward()
                optimizer.step()
            if setting.is_fixed:
                model.eval()
            else:
                model.eval  # noqa: B018
            with torch.no_grad():
                right = (model(data.images[1200:]).argmax(dim=1) == data.classes[1200:]).float().mean()
            print(f"epoch {epoch}: {right:.1%}")


PROGRAM = Program(
    name="eval-without-parentheses",
    train=_train,
    source="Stack Overflow and PyTorch forum, model.eval without a call",
    truth=Truth(
        rules=("evaluation-in-training-mode", "evaluation-changes-buffers"),
        nodes=(
            "model",
            "model.1",
            "model.3",
            "model.5",
            "model.8",
            *(f"model.{k}.running_{what}" for k in (1, 5) for what in ("mean", "var")),
        ),
    ),
)
