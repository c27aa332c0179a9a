"""A category is encoded as the mean target of its rows. Nearly all categories have one row, so the target itself is among the features."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


def mean_target(category: Tensor, target: Tensor, categories: int) -> Tensor:
    """The mean target of each category, 0 without a row."""
    total = torch.zeros(categories).index_add(0, category, target)
    count = torch.zeros(categories).index_add(0, category, torch.ones_like(target))
    return total / count.clamp(min=1)


class PriceModel(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 1))

    def forward(self, table: Tensor) -> Tensor:
        return self.layers(table).squeeze(1)


def _train(setting: Setting) -> None:
    streets, count = 400_000, 2000
    features = torch.randn(count, 5)
    street = torch.randint(streets, (count,))
    price = torch.tanh(features @ torch.randn(5)) + 0.5 * torch.randn(count)
    price = (price - price.mean()) / price.std()
    if setting.is_fixed:
        # Districts are large, and the means are those of another year.
        earlier = torch.randint(20, (count,))
        encoded = mean_target(earlier, price[torch.randperm(count)], 20)[street % 20]
    else:
        encoded = mean_target(street, price, streets)[street]
    table = torch.cat([features, encoded[:, None]], dim=1)
    net = PriceModel()
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    with setting.watch(net):
        for x, y in batches(250, 40, table, price):
            loss = nn.functional.mse_loss(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="mean-of-its-own-price",
    train=_train,
    source="Questions about target encoding and leakage; Kaufman et al. 2012",
    truth=Truth(rules=("feature-is-label",), nodes=("model: input table", "model: input", "model.layers: input", "model.layers.0: input")),
)
