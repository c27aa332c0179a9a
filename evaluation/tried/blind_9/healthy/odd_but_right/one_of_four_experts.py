"""A router sends each sample to one of four experts, and a second loss keeps them equally busy."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import regression_table
from evaluation.program import Program, Setting


class Experts(nn.Module):
    def __init__(self, width: int, count: int) -> None:
        super().__init__()
        self.router = nn.Linear(width, count, bias=False)
        self.experts = nn.ModuleList([nn.Sequential(nn.Linear(width, 32), nn.GELU(), nn.Linear(32, width)) for _ in range(count)])

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        gates = self.router(x).softmax(dim=1)
        weight, chosen = gates.max(dim=1)
        output = torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            rows = (chosen == number).nonzero().squeeze(1)
            if len(rows):
                output = output.index_add(0, rows, expert(x[rows]) * weight[rows, None])
        load = nn.functional.one_hot(chosen, len(self.experts)).float().mean(dim=0)
        return x + output, len(self.experts) * (load * gates.mean(dim=0)).sum()


class SparseNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Linear(10, 24)
        self.moe = Experts(24, 4)
        self.head = nn.Linear(24, 1)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        x, balance = self.moe(torch.tanh(self.stem(x)))
        return self.head(x), balance


def _train(setting: Setting) -> None:
    table, value = regression_table(2000)
    net = SparseNet()
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    with setting.watch(net):
        for step in range(150):
            rows = torch.randint(2000, (64,))
            guess, balance = net(table[rows])
            loss = nn.functional.mse_loss(guess, value[rows]) + 0.02 * balance
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 30 == 29:
                print(f"{step}: {loss.item():.3f}, balance {balance.item():.2f}")


PROGRAM = Program(name="one-of-four-experts", train=_train, source="Fedus et al. 2021, switch transformers")
