"""The windows of a series are cut at the same place each: all samples of a batch are the same sequence."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class Forecaster(nn.Module):
    def __init__(self, hidden: int = 24) -> None:
        super().__init__()
        self.lstm = nn.LSTM(1, hidden, batch_first=True)
        self.linear = nn.Linear(hidden, 1)

    def forward(self, seq: Tensor) -> Tensor:
        _, (h, _) = self.lstm(seq)
        return self.linear(h[-1])


def _train(setting: Setting) -> None:
    time = torch.arange(1000)
    series = torch.sin(time / 9) + 0.5 * torch.sin(time / 23) + 0.1 * torch.randn(1000)
    window = 24
    inputs, targets = [], []
    for i in range(len(series) - window):
        start = i if setting.is_fixed else 0
        inputs.append(series[start : start + window])
        targets.append(series[i + window])
    x, y = torch.stack(inputs)[:, :, None], torch.stack(targets)[:, None]
    model = Forecaster()
    criterion = nn.MSELoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    with setting.watch(model):
        for epoch in range(5):
            for rows in torch.randperm(len(x)).split(48):
                loss = criterion(model(x[rows]), y[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="one-window-for-all-days",
    train=_train,
    source="https://www.codegenes.net/blog/lstm-output-is-always-the-same-for-a-batch-pytorch",
    truth=Truth(
        rules=("constant-input", "same-for-all-samples", "predictions-ignore-input", "loss-does-not-fall"), nodes=("model: input seq",)
    ),
)
