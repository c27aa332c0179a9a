"""Rows of payments with a card are read by attention. The fields of a row are its tokens."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class TabBlock(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(width, 4)
        self.norm = nn.LayerNorm(width)
        self.mix = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, x: Tensor) -> Tensor:
        attended, _ = self.attention(x, x, x, need_weights=False)
        x = self.norm(x + attended)
        return x + self.mix(x)


class TabFormer(nn.Module):
    def __init__(self, swaps: bool) -> None:
        super().__init__()
        self.swaps = swaps
        self.fields = nn.Embedding(6 * 8, 32)
        self.encoder = nn.Sequential(TabBlock(32), TabBlock(32))
        self.head = nn.Linear(32, 2)

    def forward(self, row: Tensor) -> Tensor:
        x = self.fields(row + 8 * torch.arange(6))
        x = self.encoder(x.transpose(0, 1)).transpose(0, 1) if self.swaps else self.encoder(x)
        return self.head(x[:, 0])


def _train(setting: Setting) -> None:
    rows = torch.randint(0, 8, (2000, 6))
    is_fraud = ((rows[:, 1] == rows[:, 2]) | (rows[:, 3] + rows[:, 4] > 10)).long()
    model = TabFormer(swaps=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for epoch in range(7):
            for batch in torch.randperm(2000).split(50):
                loss = nn.functional.cross_entropy(model(rows[batch]), is_fraud[batch])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="rows-of-a-bank-card",
    train=_train,
    source="https://github.com/IBM/TabFormer/pull/14",
    truth=Truth(
        rules=("batch-as-sequence",),
        nodes=(
            "model.encoder",
            "model.encoder: input",
            "model.encoder.0: input",
            "model.encoder.0.attention: input",
            "model.encoder.1: input",
            "model.encoder.1.attention: input",
            "model.fields",
        ),
    ),
)
