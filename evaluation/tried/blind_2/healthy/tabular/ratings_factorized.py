"""Matrix factorization of sparse ratings, with biases and weight decay."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting


class Factors(nn.Module):
    def __init__(self, users: int, films: int, size: int, mean: float) -> None:
        super().__init__()
        self.user = nn.Embedding(users, size)
        self.film = nn.Embedding(films, size)
        self.user_bias = nn.Embedding(users, 1)
        self.film_bias = nn.Embedding(films, 1)
        for table in (self.user, self.film, self.user_bias, self.film_bias):
            nn.init.normal_(table.weight, std=0.1)
        self.mean = nn.Parameter(torch.tensor([mean]))

    def forward(self, user: Tensor, film: Tensor) -> Tensor:
        match = (self.user(user) * self.film(film)).sum(dim=1)
        return self.mean + match + self.user_bias(user).squeeze(1) + self.film_bias(film).squeeze(1)


def _train(setting: Setting) -> None:
    taste, style = torch.randn(150, 3), torch.randn(90, 3)
    user, film = torch.randint(150, (5000,)), torch.randint(90, (5000,))
    stars = (3.4 + 0.7 * (taste[user] * style[film]).sum(dim=1) + 0.4 * torch.randn(90)[film]).clamp(1, 5).round()
    model = Factors(150, 90, 8, stars.mean().item())
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-2, weight_decay=1e-5)
    with setting.watch(model):
        for step, (u, f, s) in enumerate(batches(320, 64, user, film, stars)):
            loss = nn.functional.mse_loss(model(u, f), s)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 80 == 0:
                print(step, round(loss.item(), 3))


PROGRAM = Program(name="ratings-factorized", train=_train, source="Koren et al. 2009 (matrix factorization)")
