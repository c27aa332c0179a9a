"""Four small batches make up one update."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    x = torch.randn(2560, 12)
    classes = (x @ torch.randn(12, 5) + 0.3 * x[:, :5] ** 2).argmax(1)
    loader = DataLoader(TensorDataset(x, classes), batch_size=8, shuffle=True)
    model = nn.Sequential(nn.Linear(12, 48), nn.LayerNorm(48), nn.GELU(), nn.Linear(48, 48), nn.LayerNorm(48), nn.GELU(), nn.Linear(48, 5))
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    accumulation = 4
    with setting.watch(model):
        for _ in range(9):
            for number, (features, target) in enumerate(loader, 1):
                loss = nn.functional.cross_entropy(model(features), target) / accumulation
                loss.backward()
                if number % accumulation == 0:
                    optimizer.step()
                    optimizer.zero_grad()


PROGRAM = Program(name="gradient-accumulation", train=_train, source="The usual loop for batches that do not fit in memory")
