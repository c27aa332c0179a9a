"""Prices around 4,000 go into an LSTM as they are: its gates are closed or open, and all sequences look the same."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class PriceLstm(nn.Module):
    def __init__(self, hidden_dim: int = 32) -> None:
        super().__init__()
        self.lstm = nn.LSTM(1, hidden_dim, batch_first=True)
        self.fc = nn.Linear(hidden_dim, 1)

    def forward(self, window: Tensor) -> Tensor:
        out, _ = self.lstm(window)
        return self.fc(out[:, -1])


def _train(setting: Setting) -> None:
    steps = torch.randn(900).cumsum(0)
    price = 4000 + 300 * torch.sin(torch.arange(900) / 30) + 12 * steps
    scaled = (price - price.mean()) / price.std()
    series = scaled if setting.is_fixed else price
    windows = series.unfold(0, 16, 1)[:-1, :, None]
    following = scaled[16:, None]
    model = PriceLstm()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for epoch in range(6):
            for rows in torch.randperm(len(windows)).split(40):
                loss = nn.functional.mse_loss(model(windows[rows]), following[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="prices-straight-into-an-lstm",
    train=_train,
    source="https://www.codegenes.net/blog/lstm-output-is-always-the-same-for-a-batch-pytorch",
    truth=Truth(
        rules=(
            "input-not-normalized",
            "saturated-units",
            "same-for-all-samples",
            "predictions-ignore-input",
            "loss-does-not-fall",
            "vanishing-gradient",
        ),
        nodes=("model: input window",),
    ),
)
