"""Rents depend on numbers and on the district, which has an embedding; training stops when validation gets no better."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class _Rents(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.district = nn.Embedding(12, 4)
        self.body = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, numbers: Tensor, district: Tensor) -> Tensor:
        return self.body(torch.cat([numbers, self.district(district)], dim=1))


def _train(setting: Setting) -> None:
    numbers, district = torch.randn(2000, 6), torch.randint(0, 12, (2000,))
    rents = 900 + 250 * numbers[:, 0] + 120 * torch.tanh(numbers[:, 1] * numbers[:, 2]) + 150 * torch.randn(12)[district]
    rents = rents + 60 * torch.randn(2000)
    targets = ((rents - rents[:1600].mean()) / rents[:1600].std())[:, None]
    model = _Rents()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    best, waited = float("inf"), 0
    with setting.watch(model):
        for _ in range(20):
            model.train()
            for index in torch.randperm(1600).split(64):
                loss = nn.functional.huber_loss(model(numbers[index], district[index]), targets[index])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                error = nn.functional.huber_loss(model(numbers[1600:], district[1600:]), targets[1600:]).item()
            waited = 0 if error < best else waited + 1
            best = min(best, error)
            print("validation", error)
            if waited == 4:
                break


PROGRAM = Program(name="rents-with-categories", train=_train, source="fastai course: tabular data with embeddings of categories")
