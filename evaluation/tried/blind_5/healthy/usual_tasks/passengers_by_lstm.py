"""An LSTM forecasts two weeks of passengers from standardized counts, with a Huber loss."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class _Passengers(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(1, 32, batch_first=True)
        self.out = nn.Linear(32, 4)

    def forward(self, past: Tensor) -> Tensor:
        return self.out(self.lstm(past)[1][0][-1])


def _train(setting: Setting) -> None:
    day = torch.arange(1800.0)
    counts = 500 + 120 * torch.sin(6.283 * day / 7) + 60 * torch.sin(6.283 * day / 30) + 15 * torch.randn(1800)
    series = (counts - counts.mean()) / counts.std()
    windows = series.unfold(0, 25, 1)
    past, future = windows[:, :21, None], windows[:, 21:]
    model = _Passengers()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=2)
    with setting.watch(model):
        for _ in range(8):
            for chosen in torch.randperm(1500).split(48):
                loss = nn.functional.huber_loss(model(past[chosen]), future[chosen])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            with torch.no_grad():
                valid = nn.functional.huber_loss(model(past[1500:]), future[1500:])
            scheduler.step(valid)
            print("training", loss.item(), "validation", valid.item())


PROGRAM = Program(name="passengers-by-lstm", train=_train, source="PyTorch examples: time sequence prediction")
