"""A GRU that adds the two marked numbers of a sequence, with clipped gradients."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class _Adder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gru = nn.GRU(2, 32, batch_first=True)
        self.out = nn.Linear(32, 1)

    def forward(self, x: Tensor) -> Tensor:
        _, last = self.gru(x)
        return self.out(last[-1])


def _batch(size: int, length: int) -> tuple[Tensor, Tensor]:
    numbers = torch.rand(size, length)
    marks = torch.zeros(size, length)
    half = length // 2
    rows = torch.arange(size)
    marks[rows, torch.randint(half, (size,))] = 1
    marks[rows, half + torch.randint(length - half, (size,))] = 1
    return torch.stack([numbers, marks], dim=2), (numbers * marks).sum(1, keepdim=True)


def _train(setting: Setting) -> None:
    model = _Adder()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for _ in range(800):
            x, y = _batch(32, 16)
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
            optimizer.step()


PROGRAM = Program(name="gru-adding", train=_train, source="The adding problem of Hochreiter and Schmidhuber 1997")
