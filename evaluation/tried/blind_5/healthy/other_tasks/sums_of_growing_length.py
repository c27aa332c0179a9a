"""An LSTM adds up the numbers of a sequence, and the sequences get longer from stage to stage."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class _Adder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(1, 24, batch_first=True)
        self.out = nn.Linear(24, 1)

    def forward(self, numbers: Tensor) -> Tensor:
        return self.out(self.lstm(numbers)[0][:, -1])


def _train(setting: Setting) -> None:
    model = _Adder()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for length in (3, 5, 8, 12):
            for _ in range(90):
                numbers = torch.randn(64, length, 1)
                sums = numbers.sum(1) / 12**0.5
                loss = nn.functional.mse_loss(model(numbers), sums)
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
            print("length", length, "loss", loss.item(), "variance", length / 12)


PROGRAM = Program(name="sums-of-growing-length", train=_train, source="Bengio et al. 2009: curriculum learning; Zaremba and Sutskever 2014")
