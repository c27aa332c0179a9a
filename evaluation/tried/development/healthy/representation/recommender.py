"""Users and items have embeddings; their product says whether a user liked an item."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class _Recommender(nn.Module):
    def __init__(self, users: int, items: int, width: int = 16) -> None:
        super().__init__()
        self.user = nn.Embedding(users, width)
        self.item = nn.Embedding(items, width)
        self.user_bias = nn.Embedding(users, 1)
        self.item_bias = nn.Embedding(items, 1)
        for embedding in (self.user, self.item):
            nn.init.normal_(embedding.weight, std=0.1)
        for embedding in (self.user_bias, self.item_bias):
            nn.init.zeros_(embedding.weight)

    def forward(self, users: Tensor, items: Tensor) -> Tensor:
        match = (self.user(users) * self.item(items)).sum(1)
        return match + self.user_bias(users).squeeze(1) + self.item_bias(items).squeeze(1)


def _train(setting: Setting) -> None:
    users, items = torch.randint(300, (20_000,)), torch.randint(150, (20_000,))
    taste, kind, quality = torch.randn(300, 3), torch.randn(150, 3), torch.randn(150)
    liked = torch.bernoulli(torch.sigmoid(2 * (taste[users] * kind[items]).sum(1) + quality[items]))
    model = _Recommender(300, 150)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    criterion = nn.BCEWithLogitsLoss()
    with setting.watch(model):
        for _ in range(9):
            for index in torch.randperm(20_000).split(256):
                loss = criterion(model(users[index], items[index]), liked[index])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


PROGRAM = Program(name="recommender", train=_train, source="Koren et al. 2009: matrix factorization")
