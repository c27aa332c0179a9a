"""A residual block adds its branch to itself: `out = branch(x); out += out`."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.worlds import tones


class Block(nn.Module):
    def __init__(self, width: int, is_fixed: bool) -> None:
        super().__init__()
        self.squeeze = nn.Linear(width, width // 2)
        self.expand = nn.Linear(width // 2, width)
        self.is_fixed = is_fixed

    def forward(self, x: Tensor) -> Tensor:
        out = self.expand(self.squeeze(x).relu())
        return out + (x if self.is_fixed else out)


def _train(setting: Setting) -> None:
    waves, slopes = tones(900)
    blocks = [Block(32, is_fixed) for is_fixed in [setting.is_fixed] * 16]
    net = nn.Sequential(nn.Flatten(), nn.Linear(64, 32), *blocks, nn.Linear(32, 4))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    with setting.watch(net):
        for x, y in batches(120, 32, waves, slopes):
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(x), y).backward()
            optimizer.step()


PROGRAM = Program(
    name="branch-added-to-itself",
    train=_train,
    source="questions about ResNet from scratch without identity",
    truth=Truth(
        rules=("vanishing-gradient", "same-for-all-samples", "loss-does-not-fall", "predictions-ignore-input"),
        nodes=(
            "model: output",
            "model.18: output",
            "model.18",
            "model.1",
            "model.1.weight",
            *(
                f"model.{i}{name}"
                for i in range(2, 18)
                for name in (
                    "",
                    ": output",
                    ".squeeze",
                    ".squeeze.weight",
                    ".squeeze: output",
                    ".expand",
                    ".expand.weight",
                    ".expand: output",
                )
            ),
        ),
    ),
)
