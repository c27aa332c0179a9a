"""Six layers of sigmoids, and plain SGD: hardly any gradient reaches the first ones."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting, Truth


class DocumentClassifier(nn.Module):
    def __init__(self, input_dim: int, num_classes: int, act: type[nn.Module]) -> None:
        super().__init__()
        widths = [input_dim, 64, 64, 48, 48, 32, 32]
        parts: list[nn.Module] = []
        for before, after in pairwise(widths):
            parts += [nn.Linear(before, after), act()]
        self.layers = nn.Sequential(*parts)
        self.top = nn.Linear(32, num_classes)

    def forward(self, x: Tensor) -> Tensor:
        return self.top(self.layers(x))


def _train(setting: Setting) -> None:
    x, y = class_blobs(1800, features=24, classes=4)
    model = DocumentClassifier(24, 4, nn.ReLU if setting.is_fixed else nn.Sigmoid)
    for part in model.layers:
        if isinstance(part, nn.Linear):
            nn.init.kaiming_normal_(part.weight)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    with setting.watch(model):
        for epoch in range(6):
            for rows in torch.randperm(1800).split(60):
                loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="six-sigmoids-deep",
    train=_train,
    source="https://datafield.dev/aibook/part-03/chapter-12/case-study-01.html",
    truth=Truth(
        rules=("vanishing-gradient", "same-for-all-samples", "predictions-ignore-input", "loss-does-not-fall", "updates-too-small"),
        nodes=("model.layers",),
    ),
)
