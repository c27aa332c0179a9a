"""The number 0.95 was meant as the share of units to keep, but `nn.Dropout` takes the share to drop."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Rater(nn.Module):
    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.user = nn.Embedding(60, 12)
        self.item = nn.Embedding(40, 12)
        self.layers = nn.Sequential(
            nn.Linear(24, 32), nn.ReLU(), nn.Dropout(dropout), nn.Linear(32, 32), nn.ReLU(), nn.Dropout(dropout), nn.Linear(32, 1)
        )

    def forward(self, user: Tensor, item: Tensor) -> Tensor:
        return self.layers(torch.cat([self.user(user), self.item(item)], dim=1)).squeeze(1)


def _train(setting: Setting) -> None:
    taste, style = torch.randn(60, 2), torch.randn(40, 2)
    user, item = torch.randint(60, (3000,)), torch.randint(40, (3000,))
    rating = torch.tanh((taste[user] * style[item]).sum(dim=1)) + 0.1 * torch.randn(3000)
    rating = rating / rating.std()
    model = Rater(1 - 0.95 if setting.is_fixed else 0.95)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for u, i, y in batches(400, 32, user, item, rating):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(u, i), y)
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="ninety-five-percent-dropped",
    train=_train,
    source="Stack Overflow, keep_prob of TensorFlow 1 and rate; Humbatova et al. 2020 (regularization)",
    truth=Truth(rules=("loss-does-not-fall", "predictions-ignore-input")),
)
