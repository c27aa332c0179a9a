"""All factors of users and films begin at 0.1, get the same gradient, and stay one factor."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth

USERS, FILMS, FACTORS = 60, 80, 8


class Factorization(nn.Module):
    def __init__(self, constant: bool) -> None:
        super().__init__()
        self.users = nn.Embedding(USERS, FACTORS)
        self.films = nn.Embedding(FILMS, FACTORS)
        self.bias = nn.Embedding(FILMS, 1)
        nn.init.zeros_(self.bias.weight)
        for table in (self.users, self.films):
            if constant:
                nn.init.constant_(table.weight, 0.1)
            else:
                nn.init.normal_(table.weight, std=0.3)

    def forward(self, user: Tensor, film: Tensor) -> Tensor:
        return (self.users(user) * self.films(film)).sum(dim=1) + self.bias(film).squeeze(1)


def _train(setting: Setting) -> None:
    taste, kind = torch.randn(USERS, 4), torch.randn(FILMS, 4)
    user, film = torch.randint(USERS, (4000,)), torch.randint(FILMS, (4000,))
    stars = (taste[user] * kind[film]).sum(dim=1) / 2 + 0.1 * torch.randn(4000)
    model = Factorization(constant=not setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-2)
    with setting.watch(model):
        for epoch in range(6):
            for rows in torch.randperm(4000).split(100):
                loss = nn.functional.mse_loss(model(user[rows], film[rows]), stars[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.3f}")


PROGRAM = Program(
    name="every-factor-begins-at-a-tenth",
    train=_train,
    source="Humbatova et al. 2020, wrong weights initialization; Goodfellow et al. 2016 on breaking symmetry",
    truth=Truth(
        rules=("equal-weights", "rank-collapse"),
        nodes=("model.users", "model.users.weight", "model.films", "model.films.weight"),
    ),
)
