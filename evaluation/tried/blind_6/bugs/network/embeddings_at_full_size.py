"""Clicks are scored by a product of 64 numbers from `nn.Embedding`, whose default deviation is 1: the first scores are around 8."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class TwoTowers(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.users = nn.Embedding(60, 64)
        self.items = nn.Embedding(50, 64)

    def forward(self, user: Tensor, item: Tensor) -> Tensor:
        return (self.users(user) * self.items(item)).sum(dim=1)


def _train(setting: Setting) -> None:
    user, item = torch.randint(60, (5000,)), torch.randint(50, (5000,))
    taste = torch.randn(60, 4) @ torch.randn(4, 50)
    clicked = (taste[user, item] > 0).float()
    model = TwoTowers()
    if setting.is_fixed:
        nn.init.normal_(model.users.weight, std=0.1)
        nn.init.normal_(model.items.weight, std=0.1)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    with setting.watch(model):
        for u, i, y in batches(250, 128, user, item, clicked):
            loss = F.binary_cross_entropy_with_logits(model(u, i), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"loss {loss.item():.2f}")


PROGRAM = Program(
    name="embeddings-at-full-size",
    train=_train,
    source="PyTorch forum, initialization of embeddings in matrix factorization",
    truth=Truth(
        rules=("initial-loss",),
        nodes=(
            "model: output",
            "model.users",
            "model.items",
            "model.users.weight",
            "model.items.weight",
            "binary_cross_entropy_with_logits",
        ),
    ),
)
