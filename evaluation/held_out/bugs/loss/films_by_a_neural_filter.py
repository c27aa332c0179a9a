"""Which films will a user watch? Embeddings of users and films go through a perceptron."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class NCF(nn.Module):
    def __init__(self, users: int, films: int) -> None:
        super().__init__()
        self.user = nn.Embedding(users, 16)
        self.film = nn.Embedding(films, 16)
        self.mlp = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU())
        self.logit = nn.Linear(32, 1)

    def forward(self, user: Tensor, film: Tensor) -> Tensor:
        u, f = self.user(user), self.film(film)
        return torch.sigmoid(self.logit(torch.cat([u * f, self.mlp(torch.cat([u, f], dim=1))], dim=1))).squeeze(1)


def _train(setting: Setting) -> None:
    user, film = torch.randint(0, 60, (6000,)), torch.randint(0, 40, (6000,))
    taste, kind = torch.randn(60, 3), torch.randn(40, 3)
    watched = ((taste[user] * kind[film]).sum(dim=1) > 0).float()
    model = NCF(60, 40)
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    criteria = nn.BCELoss(reduction="mean" if setting.is_fixed else "sum")
    with setting.watch(model):
        for epoch in range(3):
            count, sum_loss = 0, 0.0
            for rows in torch.randperm(6000).split(120):
                optimizer.zero_grad()
                loss = criteria(model(user[rows], film[rows]), watched[rows])
                loss.backward()
                optimizer.step()
                count += len(rows)
                sum_loss += loss.item()
            print(f"epoch {epoch}: {sum_loss / count:.5f}")


PROGRAM = Program(
    name="films-by-a-neural-filter",
    train=_train,
    source="https://github.com/PreferredAI/cornac/pull/537",
    truth=Truth(
        rules=("summed-loss",),
        nodes=("binary_cross_entropy", "binary_cross_entropy: target", "model: output", "model.logit", "sigmoid"),
    ),
)
