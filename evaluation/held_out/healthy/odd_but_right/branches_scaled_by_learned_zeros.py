"""Every branch of a deep network is multiplied by a number that begins at zero and is learned."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting


class ReZero(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.branch = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width))
        self.alpha = nn.Parameter(torch.zeros(1))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.alpha * self.branch(x)


def _train(setting: Setting) -> None:
    x, y = class_blobs(2400, features=18, classes=4)
    model = nn.Sequential(nn.Linear(18, 48), *(ReZero(48) for _ in range(8)), nn.Linear(48, 4))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(4):
            for rows in torch.randperm(2400).split(60):
                loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(name="branches-scaled-by-learned-zeros", train=_train, source="Bachlechner et al. 2021, ReZero")
