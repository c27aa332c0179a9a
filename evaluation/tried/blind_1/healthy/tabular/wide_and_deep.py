"""A wide linear part and a deep part answer together; each has an optimizer of its own."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting


class WideAndDeep(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.wide = nn.EmbeddingBag(300, 1, mode="sum", sparse=True)
        self.users = nn.Embedding(30, 8)
        self.items = nn.Embedding(10, 8)
        self.deep = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1))
        nn.init.zeros_(self.wide.weight)

    def forward(self, user: Tensor, item: Tensor) -> Tensor:
        crossed = self.wide((user * 10 + item)[:, None])
        return (crossed + self.deep(torch.cat([self.users(user), self.items(item)], dim=1))).squeeze(1)


def _train(setting: Setting) -> None:
    user, item = torch.randint(0, 30, (3000,)), torch.randint(0, 10, (3000,))
    taste = torch.randn(30, 3) @ torch.randn(3, 10) + torch.randn(30, 10)
    clicked = torch.bernoulli(torch.sigmoid(2 * taste[user, item]))
    model = WideAndDeep()
    wide = torch.optim.SGD(model.wide.parameters(), lr=0.5)
    deep = torch.optim.Adam([*model.users.parameters(), *model.items.parameters(), *model.deep.parameters()], lr=2e-3)
    with setting.watch(model):
        for u, i, y in batches(800, 64, user, item, clicked):
            loss = nn.functional.binary_cross_entropy_with_logits(model(u, i), y)
            wide.zero_grad()
            deep.zero_grad()
            loss.backward()
            wide.step()
            deep.step()


PROGRAM = Program(name="wide-and-deep", train=_train, source="Cheng et al. 2016")
