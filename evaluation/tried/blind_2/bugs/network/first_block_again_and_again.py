"""The loop over blocks calls the first block every time; the others never run."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, curves
from evaluation.program import Program, Setting, Truth


class Block(nn.Module):
    def __init__(self, channels: int, dilation: int) -> None:
        super().__init__()
        self.conv = nn.Conv1d(channels, channels, 3, padding=dilation, dilation=dilation)
        self.norm = nn.GroupNorm(4, channels)

    def forward(self, x: Tensor) -> Tensor:
        return x + torch.relu(self.norm(self.conv(x)))


class Dilated(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.start = nn.Conv1d(1, 16, 1)
        self.blocks = nn.ModuleList(Block(16, 2**i) for i in range(4))
        self.head = nn.Linear(16, 1)
        self.is_fixed = is_fixed

    def forward(self, x: Tensor) -> Tensor:
        h = self.start(x.transpose(1, 2))
        for i in range(len(self.blocks)):
            h = self.blocks[i](h) if self.is_fixed else self.blocks[0](h)
        return self.head(h[:, :, -1])


def _train(setting: Setting) -> None:
    inputs, targets = curves(1200, length=24)
    model = Dilated(setting.is_fixed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-4)
    with setting.watch(model):
        for x, y in batches(200, 32, inputs, targets):
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="first-block-again-and-again",
    train=_train,
    source="common in loops over nn.ModuleList; DistributedDataParallel, unused parameters",
    truth=Truth(
        rules=("no-gradient",),
        nodes=tuple(f"model.blocks.{i}{child}" for i in (1, 2, 3) for child in ("", ".conv", ".norm")),
    ),
)
