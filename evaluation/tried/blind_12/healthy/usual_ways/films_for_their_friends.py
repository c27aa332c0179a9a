"""Ratings by products of two embeddings with biases: a recommender by factors."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class Factors(nn.Module):
    def __init__(self, people: int, films: int, width: int = 8) -> None:
        super().__init__()
        self.person = nn.Embedding(people, width)
        self.film = nn.Embedding(films, width)
        self.person_bias = nn.Embedding(people, 1)
        self.film_bias = nn.Embedding(films, 1)
        for table in (self.person, self.film):
            nn.init.normal_(table.weight, std=0.1)
        for bias in (self.person_bias, self.film_bias):
            nn.init.zeros_(bias.weight)

    def forward(self, who: Tensor, what: Tensor) -> Tensor:
        match = (self.person(who) * self.film(what)).sum(dim=1)
        return match + self.person_bias(who)[:, 0] + self.film_bias(what)[:, 0]


def _train(setting: Setting) -> None:
    tastes, kinds = torch.randn(120, 3), torch.randn(80, 3)
    who, what = torch.randint(0, 120, (8000,)), torch.randint(0, 80, (8000,))
    liked = (tastes[who] * kinds[what]).sum(dim=1) / 1.5 + 0.6 * torch.randn(80)[what] + 0.2 * torch.randn(8000)
    model = Factors(120, 80)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-2, weight_decay=1e-5)
    with setting.watch(model):
        for epoch in range(6):
            for rows in torch.randperm(8000).split(250):
                loss = nn.functional.mse_loss(model(who[rows], what[rows]), liked[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(name="films-for-their-friends", train=_train, source="Koren et al. 2009, matrix factorization")
