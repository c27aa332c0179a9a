"""A recommender predicts ratings `[N]`, and the table gives them as `[N, 1]`: every prediction is compared with every rating."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Factors(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.users = nn.Embedding(80, 8)
        self.items = nn.Embedding(60, 8)
        self.item_bias = nn.Embedding(60, 1)
        for table in (self.users, self.items):
            nn.init.normal_(table.weight, std=0.3)

    def forward(self, user: Tensor, item: Tensor) -> Tensor:
        return (self.users(user) * self.items(item)).sum(dim=1) + self.item_bias(item).squeeze(1)


def _train(setting: Setting) -> None:
    user, item = torch.randint(80, (6000,)), torch.randint(60, (6000,))
    taste, style = torch.randn(80, 3), torch.randn(60, 3)
    rating = ((taste[user] * style[item]).sum(dim=1, keepdim=True) / 3**0.5).clamp(-2, 2)
    model = Factors()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-2)
    with setting.watch(model):
        for u, i, r in batches(280, 128, user, item, rating):
            prediction = model(u, i)
            loss = F.mse_loss(prediction, r.squeeze(1) if setting.is_fixed else r)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        print(f"error {F.mse_loss(model(user, item), rating.squeeze(1)):.3f}")


PROGRAM = Program(
    name="ratings-as-a-column",
    train=_train,
    source="PyTorch forum, using a target size that is different to the input size",
    truth=Truth(rules=("broadcast-in-loss",), nodes=("mse_loss", "mse_loss: target", "model: output")),
)
