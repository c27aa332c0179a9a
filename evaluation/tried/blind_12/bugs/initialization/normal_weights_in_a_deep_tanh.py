"""Weights of deviation 1 in layers of 100 inputs drive every tanh to its ends."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting, Truth


class Deep(nn.Module):
    def __init__(self, width: int = 100, depth: int = 5) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(16 if i == 0 else width, width) for i in range(depth))
        self.head = nn.Linear(width, 4)

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = torch.tanh(layer(x))
        return self.head(x)


def _train(setting: Setting) -> None:
    x, y = class_blobs(1500, features=16, classes=4)
    model = Deep()
    for m in model.modules():
        if isinstance(m, nn.Linear):
            if setting.is_fixed:
                nn.init.xavier_normal_(m.weight)
            else:
                nn.init.normal_(m.weight, mean=0, std=1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    with setting.watch(model):
        for epoch in range(6):
            for rows in torch.randperm(1500).split(50):
                loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="normal-weights-in-a-deep-tanh",
    train=_train,
    source="https://github.com/neetcode-gh/leetcode/issues/5810",
    truth=Truth(rules=("saturated-units", "initial-loss", "exploding-gradient", "logit-growth")),
)
