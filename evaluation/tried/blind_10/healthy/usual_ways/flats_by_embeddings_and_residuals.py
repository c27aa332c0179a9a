"""Rents from categories and numbers: embeddings, residual blocks with batch normalization, and the best epoch kept."""

from __future__ import annotations

import copy

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(width)
        self.inner = nn.Linear(width, 2 * width)
        self.drop = nn.Dropout(0.1)
        self.outer = nn.Linear(2 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.outer(self.drop(torch.relu(self.inner(self.norm(x)))))


class Rents(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.district = nn.Embedding(12, 6)
        self.heating = nn.Embedding(4, 3)
        self.first = nn.Linear(14, 32)
        self.blocks = nn.Sequential(Block(32), Block(32))
        self.last = nn.Sequential(nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, numbers: Tensor, kinds: Tensor) -> Tensor:
        x = torch.cat([numbers, self.district(kinds[:, 0]), self.heating(kinds[:, 1])], dim=1)
        return self.last(self.blocks(self.first(x)))[:, 0]


def flats(count: int) -> tuple[Tensor, Tensor, Tensor]:
    numbers, kinds = torch.randn(count, 5), torch.stack([torch.randint(12, (count,)), torch.randint(4, (count,))], dim=1)
    level = torch.randn(12)[kinds[:, 0]]
    rent = numbers[:, 0] * (1 + 0.3 * level) + level + 0.3 * kinds[:, 1] - numbers[:, 1].abs() + 0.2 * torch.randn(count)
    return numbers, kinds, (rent - rent.mean()) / rent.std()


def _train(setting: Setting) -> None:
    numbers, kinds, rent = flats(2400)
    model = Rents()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=1e-3)
    best, best_test = copy.deepcopy(model.state_dict()), float("inf")
    with setting.watch(model):
        for epoch in range(5):
            model.train()
            for rows in torch.randperm(2000).split(64):
                loss = nn.functional.mse_loss(model(numbers[rows], kinds[rows]), rent[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                test = nn.functional.mse_loss(model(numbers[2000:], kinds[2000:]), rent[2000:]).item()
            if test < best_test:
                best, best_test = copy.deepcopy(model.state_dict()), test
            print(f"epoch {epoch}: {loss.item():.3f}, test {test:.3f}")
    model.load_state_dict(best)


PROGRAM = Program(name="flats-by-embeddings-and-residuals", train=_train, source="Gorishniy et al. 2021, residual networks for tables")
