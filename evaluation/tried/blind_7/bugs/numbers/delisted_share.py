"""Returns are logarithms of prices. A share is delisted on day 90, and its price is zero from then on."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth

SHARES, DAYS, WINDOW = 60, 200, 10


def market() -> Tensor:
    """Prices `[shares, days]` whose ups and downs last for some days."""
    change = torch.zeros(SHARES, DAYS)
    for day in range(1, DAYS):
        change[:, day] = 0.8 * change[:, day - 1] + 0.01 * torch.randn(SHARES)
    prices = 50 * torch.exp(change.cumsum(dim=1) * 0.5)
    prices[17, 90:] = 0
    return prices


class Trader(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gru = nn.GRU(1, 16, batch_first=True)
        self.up = nn.Linear(16, 1)

    def forward(self, returns: Tensor) -> Tensor:
        _, last = self.gru(returns)
        return self.up(last[0]).squeeze(1)


def _train(setting: Setting) -> None:
    prices = market()
    if setting.is_fixed:
        prices = prices[prices.min(dim=1).values > 0]
    trader = Trader()
    optimizer = torch.optim.Adam(trader.parameters(), lr=1e-2)
    with setting.watch(trader):
        for day in range(DAYS - WINDOW - 2):
            returns = prices[:, day : day + WINDOW + 1].log().diff(dim=1) * 100
            rises = (prices[:, day + WINDOW + 1] > prices[:, day + WINDOW]).float()
            loss = nn.functional.binary_cross_entropy_with_logits(trader(returns[..., None]), rises)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="delisted-share",
    train=_train,
    source="Humbatova et al. 2020, training data: wrong preprocessing; Stack Overflow, log returns of a price of zero",
    truth=Truth(
        rules=("nan-origin",),
        nodes=("model: input returns", "model: input", "model.gru: input", "model.gru"),
        step=90 - WINDOW,
    ),
)
