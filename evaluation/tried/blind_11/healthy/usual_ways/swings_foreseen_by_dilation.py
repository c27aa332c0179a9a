"""Five future steps of pendulums at once, by causal convolutions with growing dilation and residual connections."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.worlds import pendulums


class CausalConv(nn.Module):
    def __init__(self, width: int, dilation: int) -> None:
        super().__init__()
        self.left = 2 * dilation
        self.conv = nn.Conv1d(width, width, 3, dilation=dilation)

    def forward(self, x: Tensor) -> Tensor:
        return x + torch.relu(self.conv(nn.functional.pad(x, (self.left, 0))))


class Tcn(nn.Module):
    def __init__(self, width: int = 32, horizon: int = 5) -> None:
        super().__init__()
        self.enter = nn.Conv1d(2, width, 1)
        self.blocks = nn.Sequential(CausalConv(width, 1), CausalConv(width, 2), CausalConv(width, 4))
        self.leave = nn.Linear(width, 2 * horizon)

    def forward(self, past: Tensor) -> Tensor:
        states = self.blocks(self.enter(past.transpose(1, 2)))
        return self.leave(states[:, :, -1]).view(len(past), -1, 2)


def _train(setting: Setting) -> None:
    swings = pendulums(1500, 25)
    model = Tcn()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(6):
            model.train()
            for rows in torch.randperm(1200).split(40):
                forecast = model(swings[rows, :20])
                loss = nn.functional.l1_loss(forecast, swings[rows, 20:])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                valid = nn.functional.l1_loss(model(swings[1200:, :20]), swings[1200:, 20:])
            print(f"epoch {epoch}: {loss.item():.4f}, validation {valid.item():.4f}")


PROGRAM = Program(name="swings-foreseen-by-dilation", train=_train, source="Bai et al. 2018, temporal convolutional networks")
