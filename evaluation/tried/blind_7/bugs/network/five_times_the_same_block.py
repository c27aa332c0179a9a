"""`[block] * 5` makes five references to one block of a temporal convolution."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, curves
from evaluation.program import Program, Setting, Truth

BLOCKS = 5


class Residual(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv = nn.Conv1d(channels, channels, 3, padding=1)
        self.norm = nn.GroupNorm(4, channels)

    def forward(self, x: Tensor) -> Tensor:
        return x + torch.relu(self.norm(self.conv(x)))


def build(shared: bool) -> nn.Sequential:
    block = Residual(16)
    blocks = [block] * BLOCKS if shared else [Residual(16) for _ in range(BLOCKS)]
    return nn.Sequential(nn.Conv1d(1, 16, 3, padding=1), *blocks, nn.Flatten(), nn.Linear(16 * 24, 1))


def _train(setting: Setting) -> None:
    series, following = curves(1200, length=24)
    tcn = build(shared=not setting.is_fixed)
    print(sum(p.numel() for p in tcn.parameters()), "parameters")
    optimizer = torch.optim.Adam(tcn.parameters(), lr=2e-3)
    with setting.watch(tcn):
        for x, y in batches(200, 32, series, following):
            loss = nn.functional.mse_loss(tcn(x.transpose(1, 2)), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="five-times-the-same-block",
    train=_train,
    source="Stack Overflow, multiplying a list of layers repeats the same layer",
    truth=Truth(
        rules=("tied-parameters",),
        nodes=tuple(
            f"model.{i}{part}"
            for i in range(1, BLOCKS + 1)
            for part in ("", ".conv", ".norm", ".conv.weight", ".conv.bias", ".norm.weight", ".norm.bias")
        ),
    ),
)
