"""The hidden state has a fixed batch size. The last batch of an epoch is smaller, fails, and `except` hides it."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth


class Forecaster(nn.Module):
    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.lstm = nn.LSTM(1, hidden, batch_first=True)
        self.head = nn.Linear(hidden, 1)

    def forward(self, x: Tensor, state: tuple[Tensor, Tensor]) -> Tensor:
        states, _ = self.lstm(x, state)
        return self.head(states[:, -1])


def _train(setting: Setting) -> None:
    start = torch.rand(720, 1) * 6
    time = start + 0.4 * torch.arange(13)
    waves = torch.sin(time) + 0.4 * torch.sin(2.3 * time) + 0.05 * torch.randn(720, 13)
    data = TensorDataset(waves[:, :12, None], waves[:, 12:])
    model = Forecaster(20)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    zeros = torch.zeros(1, 64, 20)
    loader = DataLoader(data, batch_size=64, shuffle=True, drop_last=setting.is_fixed)
    with setting.watch(model):
        for epoch in range(18):
            failures = 0
            for x, y in loader:
                optimizer.zero_grad()
                try:
                    loss = nn.functional.mse_loss(model(x, (zeros, zeros)), y)
                except RuntimeError:
                    failures += 1
                    continue
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}, loss {loss.item():.4f}, skipped {failures}")


PROGRAM = Program(
    name="last-batch-is-swallowed",
    train=_train,
    source="Stack Overflow, Expected hidden size (1, 16, 20), got [1, 64, 20]",
    truth=Truth(rules=("exception-in-step",), nodes=("model.lstm", "model"), step=11),
)
