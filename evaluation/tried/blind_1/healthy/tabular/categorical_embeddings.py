"""A table with categories, missing values as a category of their own, and numbers with long tails."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting


class TableNet(nn.Module):
    def __init__(self, sizes: list[int], numbers: int) -> None:
        super().__init__()
        self.embeddings = nn.ModuleList(nn.Embedding(size, min(8, size)) for size in sizes)
        self.norm = nn.BatchNorm1d(numbers)
        width = sum(min(8, size) for size in sizes) + numbers
        self.body = nn.Sequential(nn.Linear(width, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, categories: Tensor, numbers: Tensor) -> Tensor:
        parts = [embedding(categories[:, k]) for k, embedding in enumerate(self.embeddings)]
        return self.body(torch.cat([*parts, self.norm(numbers)], dim=1))


def _train(setting: Setting) -> None:
    count, sizes = 3000, [3, 12, 50]
    categories = torch.stack([torch.randint(0, size, (count,)) for size in sizes], dim=1)
    numbers = torch.cat([torch.randn(count, 3).exp(), torch.randn(count, 2)], dim=1)
    effects = [torch.randn(size) for size in sizes]
    sales = sum(effect[categories[:, k]] for k, effect in enumerate(effects)) + numbers[:, 0].log() * numbers[:, 3]
    sales = (sales + 0.3 * torch.randn(count))[:, None]
    sales = (sales - sales.mean()) / sales.std()
    model = TableNet(sizes, 5)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=1e-2)
    steps = 800
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=5e-3, total_steps=steps)
    with setting.watch(model):
        for c, n, y in batches(steps, 64, categories, numbers, sales):
            loss = nn.functional.mse_loss(model(c, n), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()


PROGRAM = Program(name="categorical-embeddings", train=_train, source="Guo and Berkhahn 2016, as in the tabular models of fastai")
