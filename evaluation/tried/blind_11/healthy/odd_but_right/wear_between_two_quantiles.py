"""The wear of machines by three quantiles at once: a pinball loss for the tenth, the middle and the ninetieth percentile."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.series_and_tables import machines


class QuantileGru(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gru = nn.GRU(2, 24, batch_first=True)
        self.out = nn.Linear(24, 3)

    def forward(self, series: Tensor) -> Tensor:
        states, _ = self.gru(series)
        return self.out(states.mean(dim=1))


def pinball(forecast: Tensor, truth: Tensor, levels: Tensor) -> Tensor:
    error = truth - forecast
    return torch.maximum(levels * error, (levels - 1) * error).mean()


def _train(setting: Setting) -> None:
    series, wear = machines(1400)
    wear = wear + 0.15 * torch.randn_like(wear)
    levels = torch.tensor([0.1, 0.5, 0.9])
    model = QuantileGru()
    optimizer = torch.optim.Adam(model.parameters(), lr=6e-3)
    with setting.watch(model):
        for epoch in range(6):
            for rows in torch.randperm(1200).split(50):
                loss = pinball(model(series[rows]), wear[rows], levels)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            with torch.no_grad():
                forecast = model(series[1200:])
            below = (wear[1200:] < forecast).float().mean(dim=0)
            print(f"epoch {epoch}: {loss.item():.4f}, below {[round(share, 2) for share in below.tolist()]}")


PROGRAM = Program(name="wear-between-two-quantiles", train=_train, source="Koenker and Bassett 1978; Wen et al. 2017, quantile forecasts")
