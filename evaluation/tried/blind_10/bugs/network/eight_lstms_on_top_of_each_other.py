"""An LSTM of eight layers without anything around them: it says the same for all series, and stays so."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, curves
from evaluation.program import Program, Setting, Truth


class Forecast(nn.Module):
    def __init__(self, layers: int) -> None:
        super().__init__()
        self.lstm = nn.LSTM(1, 16, num_layers=layers, batch_first=True)
        self.linear = nn.Linear(16, 1)

    def forward(self, series: Tensor) -> Tensor:
        states, _ = self.lstm(series)
        return self.linear(states[:, -1])


def _train(setting: Setting) -> None:
    past, future = curves(1200)
    model = Forecast(layers=1 if setting.is_fixed else 8)
    criterion = nn.MSELoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for step, (x, y) in enumerate(batches(84, 32, past, future)):
            loss = criterion(model(x), y)
            model.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 21 == 20:
                print(f"{step}: {loss.item():.4f}")


PROGRAM = Program(
    name="eight-lstms-on-top-of-each-other",
    train=_train,
    source="Stack Overflow, the output of an LSTM with many layers does not change with its input",
    truth=Truth(
        rules=("vanishing-gradient", "same-for-all-samples", "predictions-ignore-input", "loss-does-not-fall", "updates-too-small"),
        nodes=(
            "model",
            "model: output",
            "model.lstm",
            "model.lstm: output[0]",
            "model.linear",
            "model.linear: input",
            "model.linear: output",
            *(f"model.lstm.{name}_l{layer}" for layer in range(8) for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")),
        ),
    ),
)
