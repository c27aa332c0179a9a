"""A layer is the default value of an argument, so all blocks share one batch normalization and its running statistics."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.worlds import gratings


def make_network(width: int, blocks: int, is_fixed: bool) -> nn.Sequential:
    shared = nn.BatchNorm2d(width)

    class Block(nn.Module):
        def __init__(self, norm: nn.Module = shared, scale: float = 1.0) -> None:
            super().__init__()
            self.conv = nn.Conv2d(width, width, 3, padding=1)
            nn.init.kaiming_normal_(self.conv.weight, a=scale)
            self.norm = nn.BatchNorm2d(width) if is_fixed else norm

        def forward(self, x: Tensor) -> Tensor:
            return self.norm(self.conv(x)).relu()

    first, last = nn.Conv2d(3, width, 3, stride=2), nn.Linear(width * 36, 4)
    return nn.Sequential(first, *(Block(scale=0.5 * (index + 1)) for index in range(blocks)), nn.Flatten(), last)


def _train(setting: Setting) -> None:
    images, angles = gratings(900)
    net = make_network(12, 3, setting.is_fixed)
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    with setting.watch(net):
        for _ in range(8):
            net.train()
            for x, y in batches(20, 32, images[:700], angles[:700]):
                optimizer.zero_grad()
                nn.functional.cross_entropy(net(x), y).backward()
                optimizer.step()
            net.eval()
            with torch.no_grad():
                print(nn.functional.cross_entropy(net(images[700:]), angles[700:]).item())


PROGRAM = Program(
    name="norm-as-default-argument",
    train=_train,
    source="Python FAQ, default values shared between objects; issues with nn.Module defaults",
    truth=Truth(
        rules=("tied-parameters",),
        nodes=tuple(f"model.{i}.norm{name}" for i in (1, 2, 3) for name in ("", ".weight", ".bias", ": output")),
    ),
)
