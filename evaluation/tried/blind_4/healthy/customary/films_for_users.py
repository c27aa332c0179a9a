"""Ratings are the product of embeddings of users and films plus their biases."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting


class _Factors(nn.Module):
    def __init__(self, users: int, films: int, width: int = 8) -> None:
        super().__init__()
        self.users = nn.Embedding(users, width)
        self.films = nn.Embedding(films, width)
        self.user_bias = nn.Embedding(users, 1)
        self.film_bias = nn.Embedding(films, 1)
        for table in (self.users, self.films):
            nn.init.normal_(table.weight, std=0.1)
        for bias in (self.user_bias, self.film_bias):
            nn.init.zeros_(bias.weight)
        self.mean = nn.Parameter(torch.tensor(3.5))

    def forward(self, user: Tensor, film: Tensor) -> Tensor:
        product = (self.users(user) * self.films(film)).sum(1)
        return product + self.user_bias(user)[:, 0] + self.film_bias(film)[:, 0] + self.mean


def _train(setting: Setting) -> None:
    user, film = torch.randint(0, 120, (6000,)), torch.randint(0, 60, (6000,))
    taste = (torch.randn(120, 3)[user] * torch.randn(60, 3)[film]).sum(1)
    stars = (3.4 + 0.5 * taste + 0.4 * torch.randn(60)[film] + 0.2 * torch.randn(6000)).clamp(1, 5)
    loader = DataLoader(TensorDataset(user[:5000], film[:5000], stars[:5000]), batch_size=100, shuffle=True)
    model = _Factors(120, 60)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=1e-5)
    with setting.watch(model):
        for _ in range(8):
            for users, films, given in loader:
                loss = nn.functional.mse_loss(model(users, films), given)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            with torch.no_grad():
                print("error", nn.functional.mse_loss(model(user[5000:], film[5000:]), stars[5000:]).item())


PROGRAM = Program(name="films-for-users", train=_train, source="Koren et al. 2009: matrix factorization, as for MovieLens")
