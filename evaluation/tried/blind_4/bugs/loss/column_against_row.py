"""The forecast has shape [N, 1] and the target [N], so the squared error compares each forecast with every target."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth


class _Forecast(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.rnn = nn.LSTM(1, 20, batch_first=True)
        self.linear = nn.Linear(20, 1)

    def forward(self, series: Tensor) -> Tensor:
        states, _ = self.rnn(series)
        return self.linear(states[:, -1])


def _train(setting: Setting) -> None:
    start, slope = torch.randn(1200, 1), 0.3 * torch.randn(1200, 1)
    series = start + slope * torch.arange(13) / 4 + 0.05 * torch.randn(1200, 13)
    loader = DataLoader(TensorDataset(series[:1000, :-1, None], series[:1000, -1]), batch_size=25, shuffle=True)
    model = _Forecast()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for _ in range(10):
            for past, following in loader:
                forecast = model(past)
                if setting.is_fixed:
                    forecast = forecast.squeeze(1)
                loss = (forecast - following).square().mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        print("error", (model(series[1000:, :-1, None])[:, 0] - series[1000:, -1]).pow(2).mean().item())


PROGRAM = Program(
    name="column-against-row",
    train=_train,
    source="Humbatova et al. 2020, tensors: wrong shape; PyTorch forum: the model predicts the mean, [N, 1] against [N]",
    truth=Truth(rules=("broadcast-in-loss", "predictions-ignore-input", "loss-does-not-fall", "same-for-all-samples", "ranks-differ")),
)
