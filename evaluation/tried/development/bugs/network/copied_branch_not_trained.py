"""A deep copy was meant to share its weights with the original, and the optimizer holds the original alone."""

from __future__ import annotations

import copy

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class TwoTowers(nn.Module):
    def __init__(self, share: bool) -> None:
        super().__init__()
        self.users = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 16))
        self.items = self.users if share else copy.deepcopy(self.users)

    def forward(self, user: Tensor, item: Tensor) -> Tensor:
        return (self.users(user) * self.items(item)).sum(dim=1)


def _train(setting: Setting) -> None:
    users, items = torch.randn(2000, 10), torch.randn(2000, 10)
    ratings = torch.tanh((users * items).sum(dim=1) / 3)
    model = TwoTowers(share=setting.is_fixed)
    optimizer = torch.optim.Adam(model.users.parameters(), lr=3e-3)
    with setting.watch(model):
        for user, item, rating in batches(800, 32, users, items, ratings):
            loss = nn.functional.mse_loss(model(user, item), rating)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="copied-branch-not-trained",
    train=_train,
    source="PyTorch forum, weight sharing and deepcopy",
    truth=Truth(rules=("never-updated", "not-in-optimizer"), nodes=("model.items", "model.items.0", "model.items.2")),
)
