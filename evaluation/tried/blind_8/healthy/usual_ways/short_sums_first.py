"""A GRU adds up numbers. The sequences are short at first, and get longer."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class Adder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.rnn = nn.GRU(2, 32, batch_first=True)
        self.sum = nn.Linear(32, 1)

    def forward(self, marked: Tensor) -> Tensor:
        return self.sum(self.rnn(marked)[1][0])


def _train(setting: Setting) -> None:
    net = Adder()
    optimizer = torch.optim.Adam(net.parameters(), lr=6e-3)
    with setting.watch(net):
        for step in range(240):
            length = 4 + step // 30
            numbers = torch.rand(48, length) * 2 - 1
            marks = (torch.rand(48, length) < 0.5).float()
            wanted = (numbers * marks).sum(dim=1, keepdim=True)
            loss = nn.functional.mse_loss(net(torch.stack([numbers, marks], dim=2)), wanted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="short-sums-first", train=_train, source="Bengio et al. 2009; Zaremba and Sutskever 2014")
