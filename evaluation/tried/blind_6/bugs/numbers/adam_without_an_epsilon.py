"""Adam with `eps=0`: rows of an embedding without a gradient divide zero by zero."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Taste(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.films = nn.Embedding(60, 12)
        self.mlp = nn.Sequential(nn.Linear(24, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, liked: Tensor, film: Tensor) -> Tensor:
        return self.mlp(torch.cat([self.films(liked), self.films(film)], dim=1)).squeeze(1)


def _train(setting: Setting) -> None:
    genre = torch.randint(4, (60,))
    liked, film = torch.randint(60, (4000,)), torch.randint(60, (4000,))
    is_liked = (genre[liked] == genre[film]).float()
    model = Taste()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2, eps=1e-8 if setting.is_fixed else 0.0)
    with setting.watch(model):
        for a, b, y in batches(250, 64, liked, film, is_liked):
            loss = F.binary_cross_entropy_with_logits(model(a, b), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"loss {loss.item():.3f}")


PROGRAM = Program(
    name="adam-without-an-epsilon",
    train=_train,
    source="PyTorch forum, NaN in an embedding with eps=0 of Adam",
    truth=Truth(rules=("nan-origin",), nodes=("model.films", "model.films.weight")),
)
