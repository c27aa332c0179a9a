"""The next values are `[N]`, the forecast of the LSTM is `[N, 1]`, and `MSELoss` only warns. The forecast is always the mean."""

from __future__ import annotations

import warnings

import torch
from torch import Tensor, nn

from evaluation.datasets import curves
from evaluation.program import Program, Setting, Truth


class Seq2Dense(nn.Module):
    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.lstm = nn.LSTM(1, hidden, batch_first=True)
        self.decoder = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1))

    def forward(self, x: Tensor) -> Tensor:
        lstm_output, _ = self.lstm(x)
        return self.decoder(lstm_output[:, -1, :])


def _train(setting: Setting) -> None:
    warnings.filterwarnings("ignore", category=UserWarning)
    series, following = curves(1200)
    train_y = following[:, 0]
    model = Seq2Dense(32)
    loss_fn = nn.MSELoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for epoch in range(5):
            model.train()
            train_loss = 0.0
            for idx in torch.randperm(1200).split(48):
                y_hat = model(series[idx])
                if setting.is_fixed:
                    y_hat = y_hat.squeeze(-1)
                loss = loss_fn(y_hat, train_y[idx])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                train_loss += loss.item() / 25
            print(f"Epoch: {epoch + 1} loss: {train_loss:.4f} deviation of forecasts: {y_hat.std().item():.4f}")


PROGRAM = Program(
    name="forecast-minus-a-flat-target",
    train=_train,
    source="PyTorch forum, 'Loss not decreasing in LSTM network', "
    "https://discuss.pytorch.org/t/loss-not-decreasing-in-lstm-network/159152, and pytorch/pytorch#18349",
    truth=Truth(
        rules=("broadcast-in-loss", "predictions-ignore-input"),
        nodes=("mse_loss", "mse_loss: target", "model: output", "model.decoder.2: output"),
    ),
)
