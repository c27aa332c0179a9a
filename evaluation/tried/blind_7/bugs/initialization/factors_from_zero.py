"""Both factors of a factorization begin at zero. The gradient of each is a product with the other, so it is zero for ever."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Factorization(nn.Module):
    def __init__(self, users: int, items: int, start: float) -> None:
        super().__init__()
        self.user, self.item = nn.Embedding(users, 8), nn.Embedding(items, 8)
        self.user_bias, self.item_bias = nn.Embedding(users, 1), nn.Embedding(items, 1)
        for table in (self.user, self.item):
            nn.init.normal_(table.weight, std=start)
        for table in (self.user_bias, self.item_bias):
            nn.init.zeros_(table.weight)

    def forward(self, user: Tensor, item: Tensor) -> Tensor:
        likes = (self.user(user) * self.item(item)).sum(dim=1)
        return likes + self.user_bias(user).squeeze(1) + self.item_bias(item).squeeze(1)


def _train(setting: Setting) -> None:
    tastes, films = torch.randn(40, 3), torch.randn(60, 3)
    user, item = torch.randint(40, (4000,)), torch.randint(60, (4000,))
    stars = (tastes[user] * films[item]).sum(dim=1) / 1.7 + 0.2 * torch.randn(4000)
    model = Factorization(40, 60, start=0.3 if setting.is_fixed else 0.0)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-2)
    with setting.watch(model):
        for u, i, rating in batches(250, 100, user, item, stars):
            loss = nn.functional.mse_loss(model(u, i), rating)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="factors-from-zero",
    train=_train,
    source="Stack Overflow, matrix factorization does not learn if all factors begin at zero",
    truth=Truth(
        rules=("zero-gradient", "equal-weights", "never-updated"),
        nodes=("model.user", "model.user.weight", "model.item", "model.item.weight", "model.user: output", "model.item: output"),
    ),
)
