"""A weather station has gaps, which pandas reads as NaN, and nobody fills them."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Weather(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gru = nn.GRU(3, 16, batch_first=True)
        self.head = nn.Linear(16, 1)

    def forward(self, days: Tensor) -> Tensor:
        return self.head(self.gru(days)[0][:, -1])


def _train(setting: Setting) -> None:
    hours = torch.arange(1200) / 24 * 6.28
    readings = torch.stack([torch.sin(hours), torch.cos(hours + 0.4), 0.3 * torch.randn(1200).cumsum(0) / 10], dim=1)
    readings = readings + 0.05 * torch.randn(1200, 3)
    readings[torch.rand(1200, 3) < 0.002] = float("nan")
    readings[700, 1] = float("nan")
    if setting.is_fixed:
        readings = readings.nan_to_num(0.0)
    windows = readings.unfold(0, 13, 1).transpose(1, 2)
    model = _Weather()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for _ in range(9):
            for chosen in torch.randperm(len(windows)).split(32):
                batch = windows[chosen]
                loss = nn.functional.mse_loss(model(batch[:, :-1]), batch[:, -1, :1])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print("loss", loss.item())


PROGRAM = Program(
    name="gaps-of-a-station",
    train=_train,
    source="Humbatova et al. 2020, training data quality: missing values; StackOverflow: loss is nan",
    truth=Truth(rules=("nan-origin",)),
)
