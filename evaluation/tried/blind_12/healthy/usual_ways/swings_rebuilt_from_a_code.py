"""Curves through a code of six numbers and back, by recurrent networks."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import curves
from evaluation.program import Program, Setting


class Rebuild(nn.Module):
    def __init__(self, code: int = 6, width: int = 32) -> None:
        super().__init__()
        self.read = nn.GRU(1, width, batch_first=True)
        self.code = nn.Linear(width, code)
        self.write = nn.Sequential(nn.Linear(code, 64), nn.Tanh(), nn.Linear(64, 16))

    def forward(self, curve: Tensor) -> Tensor:
        return self.write(self.code(self.read(curve)[1][-1]))


def _train(setting: Setting) -> None:
    series, _ = curves(1000, length=16)
    model = Rebuild()
    optimizer = torch.optim.Adam(model.parameters(), lr=6e-3)
    with setting.watch(model):
        for epoch in range(7):
            for rows in torch.randperm(1000).split(40):
                loss = nn.functional.mse_loss(model(series[rows]), series[rows, :, 0])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(name="swings-rebuilt-from-a-code", train=_train, source="Srivastava et al. 2015, recurrent autoencoders")
