"""An LSTM gets stock prices around 30,000 and forecasts changes, without any scaling of its inputs."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, curves
from evaluation.program import Program, Setting, Truth


class PriceModel(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(1, 24, batch_first=True)
        self.fc = nn.Linear(24, 1)

    def forward(self, prices: Tensor) -> Tensor:
        out, _ = self.lstm(prices)
        return self.fc(out[:, -1])


def _train(setting: Setting) -> None:
    # Prices swing around 30,000 by some hundreds; the goal is whether the next is higher, by how many deviations.
    swings, following = curves(1200, length=12)
    prices = 30000 + 400 * swings
    goals = following - swings[:, -1]
    if setting.is_fixed:
        prices = (prices - prices.mean()) / prices.std()
    model = PriceModel()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for x, y in batches(500, 32, prices, goals / goals.std()):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x), y)
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="prices-as-they-are",
    train=_train,
    source="Stack Overflow and PyTorch forum, LSTMs for stock prices that predict a constant",
    truth=Truth(rules=("input-not-normalized",), nodes=("model: input prices",)),
)
