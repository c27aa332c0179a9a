"""Every layer gets a ReLU, the last one as well: the forecast of a wave is never below 0."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import curves
from evaluation.program import Program, Setting, Truth


class Forecaster(nn.Module):
    def __init__(self, last_activation: bool) -> None:
        super().__init__()
        self.lstm = nn.LSTM(1, 32, batch_first=True)
        self.fc1 = nn.Linear(32, 32)
        self.fc2 = nn.Linear(32, 1)
        self.relu = nn.ReLU()
        self.last_activation = last_activation

    def forward(self, x: Tensor) -> Tensor:
        _, (h_n, _) = self.lstm(x)
        out = self.relu(h_n[-1])
        out = self.relu(self.fc1(out))
        out = self.fc2(out)
        return self.relu(out) if self.last_activation else out


def _train(setting: Setting) -> None:
    series, following = curves(1200)
    model = Forecaster(last_activation=not setting.is_fixed)
    criterion = nn.MSELoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for epoch in range(6):
            total = 0.0
            for rows in torch.randperm(1200).split(50):
                outputs = model(series[rows])
                optimizer.zero_grad()
                loss = criterion(outputs, following[rows])
                loss.backward()
                optimizer.step()
                total += loss.item() / 24
            print(f"Epoch: {epoch}, loss: {total:.5f}, smallest forecast {outputs.min().item():.3f}")


PROGRAM = Program(
    name="relu-before-the-output",
    train=_train,
    source="Stack Overflow and PyTorch forum, regression that outputs only zeros or positive numbers: ReLU on the last layer",
    truth=Truth(
        rules=("target-out-of-range", "dead-relu"), nodes=("model.relu (call 3): output", "model.relu", "mse_loss", "model.fc2: output")
    ),
)
