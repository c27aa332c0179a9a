"""Forecasts by blocks, each of which explains a part of the past and hands on what is left."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, curves
from evaluation.program import Program, Setting


class Explaining(nn.Module):
    def __init__(self, is_last: bool) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(20, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU())
        self.back = None if is_last else nn.Linear(48, 20)
        self.ahead = nn.Linear(48, 1)

    def forward(self, past: Tensor) -> tuple[Tensor, Tensor]:
        h = self.body(past)
        return past if self.back is None else past - self.back(h), self.ahead(h)


class Stack(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(Explaining(is_last=i == 2) for i in range(3))

    def forward(self, past: Tensor) -> Tensor:
        total = torch.zeros(len(past), 1)
        for block in self.blocks:
            past, ahead = block(past)
            total = total + ahead
        return total


def _train(setting: Setting) -> None:
    past, following = curves(1500)
    net = Stack()
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    with setting.watch(net):
        for x, y in batches(220, 50, past.squeeze(2), following):
            loss = nn.functional.smooth_l1_loss(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="blocks-that-explain-the-rest", train=_train, source="Oreshkin et al. 2020 (N-BEATS)")
