"""The gate of each residual branch begins at 0 and is a buffer instead of a parameter: the branches never get any effect."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting, Truth


class Residual(nn.Module):
    gate: Tensor

    def __init__(self, channels: int, is_fixed: bool) -> None:
        super().__init__()
        self.branch = nn.Sequential(nn.Conv2d(channels, channels, 3, padding=1), nn.ReLU(), nn.Conv2d(channels, channels, 3, padding=1))
        if is_fixed:
            self.gate = nn.Parameter(torch.full((1,), 0.1))
        else:
            self.register_buffer("gate", torch.zeros(1))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.gate * self.branch(x)


def _train(setting: Setting) -> None:
    images, labels = digits(1000, classes=6, size=10)
    images = (images - images.mean()) / images.std()
    model = nn.Sequential(
        nn.Conv2d(1, 12, 3, padding=1),
        *[Residual(12, setting.is_fixed) for _ in range(2)],
        nn.ReLU(),
        nn.AvgPool2d(2),
        nn.Flatten(),
        nn.Linear(300, 6),
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for x, y in batches(200, 25, images, labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="gates-that-stay-zero",
    train=_train,
    source="Bachlechner et al. 2020 (ReZero), register_buffer instead of nn.Parameter",
    truth=Truth(
        rules=("branch-without-effect", "zero-gradient", "never-updated"),
        nodes=tuple(
            f"model.{i}{name}"
            for i in (1, 2)
            for name in (
                "",
                ".branch",
                ".branch: output",
                ".branch.0",
                ".branch.2",
                ".branch.2: output",
                ".branch.0.weight",
                ".branch.2.weight",
                ": output",
            )
        ),
    ),
)
