"""The initial state has the size of a full batch: the last batch of every epoch raises an exception, which is caught."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import curves
from evaluation.program import Program, Setting, Truth


class Rnn(nn.Module):
    def __init__(self, batch: int | None) -> None:
        super().__init__()
        self.rnn = nn.GRU(1, 24, batch_first=True)
        self.fc = nn.Linear(24, 1)
        self.batch = batch

    def forward(self, series: Tensor) -> Tensor:
        state = torch.zeros(1, self.batch or len(series), 24)
        return self.fc(self.rnn(series, state)[0][:, -1])


def _train(setting: Setting) -> None:
    inputs, targets = curves(1000)
    model = Rnn(batch=None if setting.is_fixed else 32)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for _ in range(16):
            # 31 full batches and one of 8.
            for index in torch.randperm(1000).split(32):
                optimizer.zero_grad()
                try:
                    loss = nn.functional.mse_loss(model(inputs[index]), targets[index])
                    loss.backward()
                except RuntimeError:
                    print("out of memory, batch skipped")
                    continue
                optimizer.step()


PROGRAM = Program(
    name="state-of-fixed-size",
    train=_train,
    source="PyTorch forum, 'Expected hidden size' in the last batch; training loops that take every RuntimeError for a lack of memory",
    truth=Truth(rules=("exception-in-step",), nodes=("model", "model.rnn"), step=31),
)
