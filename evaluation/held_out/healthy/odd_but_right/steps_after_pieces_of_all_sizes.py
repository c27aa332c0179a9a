"""Six pieces of different sizes make a step. Each counts by the number of its samples."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import regression_table
from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    x, y = regression_table(3000, features=14)
    model = nn.Sequential(nn.Linear(14, 64), nn.GELU(), nn.LayerNorm(64), nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    sizes = [6, 10, 12, 16, 24, 28]
    with setting.watch(model):
        for step in range(90):
            rows = torch.randperm(3000)[: sum(sizes)]
            optimizer.zero_grad()
            total = 0.0
            for piece in rows.split(sizes):
                loss = nn.functional.mse_loss(model(x[piece]), y[piece]) * len(piece) / len(rows)
                loss.backward()
                total += loss.item()
            nn.utils.clip_grad_norm_(model.parameters(), 2.0)
            optimizer.step()
            if step % 15 == 14:
                print(f"{step}: {total:.4f}")


PROGRAM = Program(
    name="steps-after-pieces-of-all-sizes", train=_train, source="PyTorch forum, accumulation with batches of different sizes"
)
