"""`zero_grad` stands between `backward` and `step`: the optimizer finds no gradient, and nothing changes."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.datasets import curves
from evaluation.program import Program, Setting, Truth


class Rnn(nn.Module):
    def __init__(self, hidden_size: int) -> None:
        super().__init__()
        self.gru = nn.GRU(input_size=1, hidden_size=hidden_size, batch_first=True)
        self.out = nn.Linear(hidden_size, 1)

    def forward(self, x: Tensor) -> Tensor:
        r_out, _ = self.gru(x)
        return self.out(r_out[:, -1])


def _train(setting: Setting) -> None:
    series, following = curves(1000)
    loader = DataLoader(TensorDataset(series, following), batch_size=40, shuffle=True)
    rnn = Rnn(24)
    optimizer = torch.optim.Adam(rnn.parameters(), lr=5e-3)
    loss_func = nn.MSELoss()
    clear_early = not setting.is_fixed
    with setting.watch(rnn):
        for epoch in range(5):
            for x, y in loader:
                prediction = rnn(x)
                loss = loss_func(prediction, y)
                loss.backward()
                if clear_early:
                    optimizer.zero_grad()
                optimizer.step()
                optimizer.zero_grad()
            print(f"Epoch: {epoch} | train loss: {loss.item():.4f}")


PROGRAM = Program(
    name="zeroed-before-the-step",
    train=_train,
    source="Stack Overflow, weights do not change: optimizer.zero_grad() is called after loss.backward() and before optimizer.step()",
    truth=Truth(rules=("gradients-cleared-early", "never-updated")),
)
