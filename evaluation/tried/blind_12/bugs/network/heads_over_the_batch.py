"""The encoder gets the batch first and expects the sequence first: its attention mixes samples instead of tokens."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import curves
from evaluation.program import Program, Setting, Truth


class Forecast(nn.Module):
    def __init__(self, batch_first: bool, d_model: int = 32) -> None:
        super().__init__()
        self.input_linear = nn.Linear(1, d_model)
        self.position = nn.Parameter(0.1 * torch.randn(20, d_model))
        layer = nn.TransformerEncoderLayer(d_model, 4, 64, dropout=0.0, batch_first=batch_first)
        self.transformer = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.output_linear = nn.Linear(d_model, 1)

    def forward(self, series: Tensor) -> Tensor:
        h = self.input_linear(series) + self.position
        return self.output_linear(self.transformer(h)[:, -1])


def _train(setting: Setting) -> None:
    series, following = curves(800)
    model = Forecast(batch_first=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    criterion = nn.MSELoss()
    with setting.watch(model):
        for epoch in range(7):
            for rows in torch.randperm(800).split(32):
                loss = criterion(model(series[rows]), following[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="heads-over-the-batch",
    train=_train,
    source="https://github.com/Exorust/TorchLeet/issues/5",
    truth=Truth(rules=("batch-as-sequence",), nodes=("model.transformer",)),
)
