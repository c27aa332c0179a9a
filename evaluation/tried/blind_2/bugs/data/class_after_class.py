"""Recordings lie in one folder per class, and the loader reads them in this order, without shuffling."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import ConcatDataset, DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth


def folder(label: int, count: int = 320) -> TensorDataset:
    """Accelerations of one activity: 30 steps of 3 axes."""
    speed = 0.3 + 0.25 * label
    phase = torch.rand(count, 1) * 6.28
    time = torch.arange(30)
    waves = [torch.sin(speed * time + phase + axis * label) for axis in range(3)]
    return TensorDataset(torch.stack(waves, dim=2) + 0.4 * torch.randn(count, 30, 3), torch.full((count,), label))


class Activity(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gru = nn.GRU(3, 24, batch_first=True)
        self.head = nn.Linear(24, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.gru(x)[0].mean(dim=1))


def _train(setting: Setting) -> None:
    data: ConcatDataset[tuple[torch.Tensor, ...]] = ConcatDataset([folder(label) for label in range(4)])
    loader = DataLoader(data, batch_size=32, shuffle=setting.is_fixed)
    model = Activity()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for epoch in range(6):
            right = 0
            for x, y in loader:
                logits = model(x)
                loss = nn.functional.cross_entropy(logits, y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                right += int((logits.argmax(dim=1) == y).sum())
            print(f"epoch {epoch}: {right / 1280:.3f}")


PROGRAM = Program(
    name="class-after-class",
    train=_train,
    source="PyTorch forum, data sorted by class without shuffle=True",
    truth=Truth(rules=("batches-not-shuffled", "oscillating-loss")),
)
