"""The next hour of the use of electricity is predicted from the last day, by a GRU."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting


class _Forecast(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gru = nn.GRU(1, 24, batch_first=True)
        self.head = nn.Linear(24, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.gru(x)[0][:, -1])


def _train(setting: Setting) -> None:
    hour = torch.arange(1500.0)
    use = torch.sin(hour * 6.28 / 24) + 0.5 * torch.sin(hour * 6.28 / 168) + 0.15 * torch.randn(1500)
    use = (use - use[:1200].mean()) / use[:1200].std()
    windows = use.unfold(0, 25, 1)[..., None]
    train = DataLoader(TensorDataset(windows[:1150, :-1], windows[:1150, -1]), batch_size=32, shuffle=True)
    model = _Forecast()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for _ in range(8):
            for past, following in train:
                loss = nn.functional.mse_loss(model(past), following)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            with torch.no_grad():
                print("error", nn.functional.mse_loss(model(windows[1200:, :-1]), windows[1200:, -1]).item())


PROGRAM = Program(name="electricity-by-gru", train=_train, source="Tutorials on forecasting with recurrent networks")
