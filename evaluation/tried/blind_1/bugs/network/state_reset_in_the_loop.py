"""The hidden state is set to zero inside the loop over time, so only the last value of a sequence counts."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Counter(nn.Module):
    def __init__(self, reset: bool) -> None:
        super().__init__()
        self.rnn = nn.LSTMCell(1, 24)
        self.readout = nn.Linear(24, 1)
        self.reset = reset

    def forward(self, values: Tensor) -> Tensor:
        h = c = torch.zeros(values.shape[0], 24)
        for t in range(values.shape[1]):
            if self.reset:
                h = c = torch.zeros(values.shape[0], 24)
            h, c = self.rnn(values[:, t], (h, c))
        return self.readout(h)


def _train(setting: Setting) -> None:
    values = (torch.rand(1600, 10, 1) < 0.5).float()
    # The first values decide, and the last does not.
    goals = values[:, :5].mean(dim=1) * 4 - 2
    model = Counter(reset=not setting.is_fixed)
    criterion = nn.MSELoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    with setting.watch(model):
        for x, y in batches(400, 32, values, goals):
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="state-reset-in-the-loop",
    train=_train,
    source="PyTorch forum, an LSTM whose init_hidden is called at every time step",
    truth=Truth(rules=("predictions-ignore-input", "loss-does-not-fall")),
)
