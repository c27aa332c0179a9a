"""Matrix factorization with sparse gradients of the embeddings, and one bias for each film."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches
from evaluation.program import Program, Setting


class Factors(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.people = nn.Embedding(100, 8, sparse=True)
        self.films = nn.Embedding(70, 8, sparse=True)
        self.bias = nn.Embedding(70, 1, sparse=True)
        for table in (self.people, self.films, self.bias):
            nn.init.normal_(table.weight, std=0.2)

    def forward(self, person: Tensor, film: Tensor) -> Tensor:
        return (self.people(person) * self.films(film)).sum(dim=1) + self.bias(film).squeeze(1)


def _train(setting: Setting) -> None:
    person, film = torch.randint(100, (8000,)), torch.randint(70, (8000,))
    taste = (torch.randn(100, 3) @ torch.randn(3, 70))[person, film] / 3**0.5 + 0.5 * torch.randn(70)[film]
    rating = taste + 0.3 * torch.randn(8000)
    model = Factors()
    optimizer = torch.optim.SparseAdam(list(model.parameters()), lr=2e-2)
    with setting.watch(model):
        for p, f, y in batches(300, 128, person, film, rating):
            loss = F.mse_loss(model(p, f), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"loss {loss.item():.3f}, variance {rating.var():.3f}")


PROGRAM = Program(name="films-you-may-like", train=_train, source="Koren et al. 2009")
