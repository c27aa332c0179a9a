"""`F.dropout` is called without the mode of the module, so evaluations drop values as training does."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting, Truth


class FactorMachine(nn.Module):
    def __init__(self, fields: int, by_mode: bool) -> None:
        super().__init__()
        self.linear1 = nn.Linear(fields, 64)
        self.linear2 = nn.Linear(64, 64)
        self.linear3 = nn.Linear(64, 3)
        self.by_mode = by_mode

    def forward(self, x: Tensor) -> Tensor:
        is_on = self.training if self.by_mode else True
        x = nn.functional.dropout(torch.relu(self.linear1(x)), p=0.4, training=is_on)
        x = nn.functional.dropout(torch.relu(self.linear2(x)), p=0.4, training=is_on)
        return self.linear3(x)


def _train(setting: Setting) -> None:
    x, y = class_blobs(2000, features=14, classes=3)
    model = FactorMachine(14, by_mode=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(5):
            model.train()
            for rows in torch.randperm(1600).split(40):
                loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                first, second = model(x[1600:]), model(x[1600:])
            apart = (first - second).abs().mean().item()
            print(f"epoch {epoch}: valid {nn.functional.cross_entropy(first, y[1600:]).item():.4f}, two runs differ by {apart:.3f}")


PROGRAM = Program(
    name="functional-dropout-that-never-ends",
    train=_train,
    source="https://github.com/rixwew/pytorch-fm/issues/21",
    truth=Truth(rules=("evaluation-in-training-mode",), nodes=("model", "model.linear2", "model.linear3")),
)
