"""Twenty residual blocks with large weights and no normalization: values grow in every block."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


class Block(nn.Module):
    def __init__(self, width: int, is_fixed: bool) -> None:
        super().__init__()
        self.norm: nn.Module = nn.LayerNorm(width) if is_fixed else nn.Identity()
        self.up = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)
        if not is_fixed:
            nn.init.kaiming_normal_(self.up.weight)
            nn.init.kaiming_normal_(self.down.weight)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.down(torch.relu(self.up(self.norm(x))))


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs(1600, features=24, classes=4)
    blocks = [Block(32, setting.is_fixed) for _ in range(20)]
    model = nn.Sequential(nn.Linear(24, 32), *blocks, nn.Linear(32, 4))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for step, (x, y) in enumerate(batches(150, 32, inputs, labels)):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 30 == 0:
                print(step, f"{loss.item():.4g}")


PROGRAM = Program(
    name="residual-blocks-that-double",
    train=_train,
    source="Zhang et al. 2019 (Fixup), residual networks without normalization",
    truth=Truth(
        rules=("growing-with-depth", "initial-loss", "exploding-gradient"),
        nodes=(
            "model: output",
            *(f"model.{i}{kind}" for i in range(22) for kind in ("", ": output", ".weight")),
            *(f"model.{i}.{layer}{kind}" for i in range(1, 21) for layer in ("up", "down") for kind in ("", ": output", ".weight")),
        ),
    ),
)
