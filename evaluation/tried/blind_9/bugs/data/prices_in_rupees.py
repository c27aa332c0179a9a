"""The target is the price of a car in rupees, some millions, as it is in the table."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class Cars(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.brand = nn.Embedding(12, 8)
        self.body = nn.Sequential(nn.Linear(13, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
        self.price = nn.Linear(64, 1)

    def forward(self, brand: Tensor, numbers: Tensor) -> Tensor:
        return self.price(self.body(torch.cat([self.brand(brand), numbers], dim=1))).squeeze(1)


def _train(setting: Setting) -> None:
    brands, numbers = torch.randint(12, (2000,)), torch.randn(2000, 5)
    worth = torch.randn(12)[brands] * 0.5 - 0.6 * numbers[:, 0] + 0.3 * numbers[:, 1] * numbers[:, 2] + 0.1 * torch.randn(2000)
    prices = 1_800_000 * (0.4 * worth).exp()
    if setting.is_fixed:
        prices = (prices - prices.mean()) / prices.std()

    model = Cars()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(4):
            for batch in torch.randperm(2000).split(50):
                loss = nn.functional.mse_loss(model(brands[batch], numbers[batch]), prices[batch])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4g}")


PROGRAM = Program(
    name="prices-in-rupees",
    train=_train,
    source="Stack Overflow, regression of prices whose loss is enormous; Humbatova et al. 2020, missing scaling of the target",
    truth=Truth(
        rules=(
            "initial-loss",
            "exploding-gradient",
            "loss-does-not-fall",
            "predictions-ignore-input",
            "runaway-growth",
            "updates-too-small",
        ),
        nodes=("mse_loss", "mse_loss: target", "model: output", "model.price", "model.price: output", "model.body", "model.brand"),
    ),
)
