"""The first state of an LSTM is made for 32 rows. The last batch of the epoch has 20, and the script stops there."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.datasets import curves
from evaluation.program import Program, Setting, Truth

BATCH = 32


class Next(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(1, 20, batch_first=True)
        self.linear = nn.Linear(20, 1)

    def forward(self, series: Tensor) -> Tensor:
        state = (torch.zeros(1, BATCH, 20), torch.zeros(1, BATCH, 20))
        output, _ = self.lstm(series, state)
        return self.linear(output[:, -1])


def _train(setting: Setting) -> None:
    series, following = curves(2100)
    loader = DataLoader(TensorDataset(series, following), batch_size=BATCH, shuffle=True, drop_last=setting.is_fixed)
    model = Next()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    try:
        with setting.watch(model):
            for epoch in range(2):
                for x, y in loader:
                    loss = nn.functional.mse_loss(model(x), y)
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
                print(f"epoch {epoch}: {loss.item():.4f}")
    except RuntimeError as error:
        print(f"Stopped: {error}")


PROGRAM = Program(
    name="state-for-thirty-two-rows",
    train=_train,
    source="Stack Overflow, expected hidden size with another batch size; Zhang et al. 2018 and Islam et al. 2019, crashes of shapes",
    truth=Truth(rules=("exception-in-step",), nodes=("model.lstm", "model"), step=65),
)
