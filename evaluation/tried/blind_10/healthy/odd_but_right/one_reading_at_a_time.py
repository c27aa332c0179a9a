"""A regression learns from a stream: each reading is seen once, alone, with a small rate and layer normalization."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import regression_table
from evaluation.program import Program, Setting


class Online(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(10, 48)
        self.norm = nn.LayerNorm(48)
        self.fc2 = nn.Linear(48, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc2(torch.relu(self.norm(self.fc1(x))))


def _train(setting: Setting) -> None:
    readings, values = regression_table(300)
    model = Online()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    errors = []
    with setting.watch(model):
        for step in range(300):
            loss = nn.functional.smooth_l1_loss(model(readings[step : step + 1]), values[step : step + 1])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            errors.append(loss.item())
            if step % 60 == 59:
                print(f"{step}: {sum(errors[-60:]) / 60:.3f}")


PROGRAM = Program(name="one-reading-at-a-time", train=_train, source="Bottou 1998, online learning")
