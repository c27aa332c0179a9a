"""An alarm has one output, and `softmax(dim=1)` of it is always 1."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import machines


class Alarm(nn.Module):
    def __init__(self, squash: nn.Module) -> None:
        super().__init__()
        self.gru = nn.GRU(2, 20, batch_first=True)
        self.fc = nn.Linear(20, 1)
        self.squash = squash

    def forward(self, vibration: torch.Tensor) -> torch.Tensor:
        return self.squash(self.fc(self.gru(vibration)[1][0]))


def _train(setting: Setting) -> None:
    vibration, wear = machines(1200)
    loader = DataLoader(TensorDataset(vibration, (wear > 0.2).float()), batch_size=40, shuffle=True)
    alarm = Alarm(nn.Sigmoid() if setting.is_fixed else nn.Softmax(dim=1))
    optimizer = torch.optim.Adam(alarm.parameters(), lr=5e-3)
    with setting.watch(alarm):
        for epoch in range(7):
            total = 0.0
            for x, y in loader:
                loss = nn.functional.binary_cross_entropy(alarm(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                total += loss.item() / len(loader)
            print(f"epoch {epoch}: {total:.3f}")


PROGRAM = Program(
    name="softmax-of-a-single-alarm",
    train=_train,
    source="Zhang et al. 2018; Stack Overflow, softmax for a binary output",
    truth=Truth(
        rules=("softmax-over-one", "zero-gradient", "same-for-all-samples", "predictions-ignore-input", "loss-does-not-fall"),
        nodes=("model.squash", "model.squash: output", "model.fc", "model.fc.weight", "binary_cross_entropy"),
    ),
)
