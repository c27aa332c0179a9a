"""`[block] * 4` puts the same block into the network four times."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches, curves
from evaluation.program import Program, Setting, Truth


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(32)
        self.wide = nn.Linear(32, 64)
        self.narrow = nn.Linear(64, 32)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.narrow(F.gelu(self.wide(self.norm(x))))


class Forecaster(nn.Module):
    def __init__(self, blocks: list[Block]) -> None:
        super().__init__()
        self.first = nn.Linear(20, 32)
        self.blocks = nn.Sequential(*blocks)
        self.out = nn.Linear(32, 1)

    def forward(self, window: Tensor) -> Tensor:
        return self.out(self.blocks(self.first(window)))


def _train(setting: Setting) -> None:
    windows, following = curves(count=2000)
    model = Forecaster([Block() for _ in range(4)] if setting.is_fixed else [Block()] * 4)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for x, y in batches(220, 64, windows.squeeze(2), following):
            loss = F.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"loss {loss.item():.4f}, parameters {sum(p.numel() for p in model.parameters())}")


PROGRAM = Program(
    name="four-times-the-same-block",
    train=_train,
    source="PyTorch forum, list multiplication shares the layers",
    truth=Truth(
        rules=("tied-parameters",),
        nodes=(
            "model.blocks",
            "model.blocks.0",
            "model.blocks.0.wide",
            "model.blocks.0.narrow",
            "model.blocks.0.norm",
            "model.blocks.0.wide.weight",
            "model.blocks.1",
        ),
    ),
)
