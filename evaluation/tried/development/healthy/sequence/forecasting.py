"""An LSTM cell that continues noisy waves step by step; the network sees the true past while it trains."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class _Forecaster(nn.Module):
    def __init__(self, width: int = 24) -> None:
        super().__init__()
        self.width = width
        self.cell = nn.LSTMCell(1, width)
        self.out = nn.Linear(width, 1)

    def forward(self, series: Tensor, future: int = 0) -> Tensor:
        h = torch.zeros(len(series), self.width)
        c = torch.zeros(len(series), self.width)
        outputs = []
        for value in series.split(1, dim=1):
            h, c = self.cell(value, (h, c))
            outputs.append(self.out(h))
        for _ in range(future):
            h, c = self.cell(outputs[-1], (h, c))
            outputs.append(self.out(h))
        return torch.cat(outputs, dim=1)


def _waves(count: int, length: int) -> Tensor:
    time = torch.arange(length) + 20 * torch.rand(count, 1)
    return torch.sin(time * (0.3 + 0.3 * torch.rand(count, 1))) + 0.05 * torch.randn(count, length)


def _train(setting: Setting) -> None:
    series, test = _waves(512, 21), _waves(64, 30)
    model = _Forecaster()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    errors = []
    with setting.watch(model):
        for epoch in range(40):
            for index in torch.randperm(512).split(32):
                batch = series[index]
                loss = nn.functional.mse_loss(model(batch[:, :-1]), batch[:, 1:])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            if epoch % 5 == 4:
                with torch.no_grad():
                    errors.append(nn.functional.mse_loss(model(test[:, :20], future=9)[:, -9:], test[:, -9:]).item())


PROGRAM = Program(name="forecasting", train=_train, source="PyTorch's example time_sequence_prediction")
