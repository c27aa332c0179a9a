"""Attention pooling normalizes its scores `[samples, time, 1]` along dimension 0, which are the samples."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import commands


class Pooling(nn.Module):
    def __init__(self, width: int, dim: int) -> None:
        super().__init__()
        self.score = nn.Sequential(nn.Linear(width, 16), nn.Tanh(), nn.Linear(16, 1))
        self.softmax = nn.Softmax(dim=dim)

    def forward(self, states: Tensor) -> Tensor:
        return (self.softmax(self.score(states)) * states).sum(dim=1)


class Listener(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(30, 16)
        self.conv = nn.Conv1d(16, 32, 3, padding=1)
        self.pool = Pooling(32, dim)
        self.out = nn.Linear(32, 3)

    def forward(self, tokens: Tensor) -> Tensor:
        states = torch.relu(self.conv(self.embed(tokens).transpose(1, 2))).transpose(1, 2)
        return self.out(self.pool(states))


def _train(setting: Setting) -> None:
    tokens, labels = commands(1500)
    model = Listener(dim=1 if setting.is_fixed else 0)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for step in range(160):
            rows = torch.randint(1500, (48,))
            loss = nn.functional.cross_entropy(model(tokens[rows]), labels[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 32 == 31:
                print(step, f"{loss.item():.3f}")


PROGRAM = Program(
    name="weights-of-pooling-over-the-batch",
    train=_train,
    source="Islam et al. 2019, wrong dimension of an operation; Stack Overflow, dim of softmax",
    truth=Truth(rules=("softmax-over-batch",), nodes=("model.pool", "model.pool.softmax", "model.pool.softmax: output")),
)
