"""An LSTM of eight layers with two units each: all sequences give the same output."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import curves
from evaluation.program import Program, Setting, Truth


class LstmModel(nn.Module):
    def __init__(self, hidden: int, layers: int) -> None:
        super().__init__()
        self.lstm = nn.LSTM(1, hidden, layers, batch_first=True)
        self.out = nn.Linear(hidden, 1)

    def forward(self, input_data: Tensor) -> Tensor:
        lstm_out, _ = self.lstm(input_data)
        return self.out(lstm_out[:, -1])


def _train(setting: Setting) -> None:
    x, y = curves(800, length=12)
    model = LstmModel(16, 1) if setting.is_fixed else LstmModel(2, 8)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    with setting.watch(model):
        for epoch in range(6):
            for rows in torch.randperm(800).split(40):
                optimizer.zero_grad()
                loss = nn.functional.mse_loss(model(x[rows]), y[rows])
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="eight-layers-of-two",
    train=_train,
    source="https://www.whosebug.com/question/4230002/Output-from-LSTM-not-changing-for-different-inputs",
    truth=Truth(
        rules=("same-for-all-samples", "vanishing-gradient", "predictions-ignore-input", "loss-does-not-fall"), nodes=("model.lstm",)
    ),
)
