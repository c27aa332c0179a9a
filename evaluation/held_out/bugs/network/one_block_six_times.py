"""`nn.ModuleList([Block()] * 6)` holds the same block six times."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import gratings


class Block(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)
        self.norm = nn.BatchNorm2d(channels)

    def forward(self, x: Tensor) -> Tensor:
        return x + torch.relu(self.norm(self.conv(x)))


class Small(nn.Module):
    def __init__(self, blocks: list[Block]) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 12, 3, stride=2)
        self.blocks = nn.ModuleList(blocks)
        self.head = nn.Linear(12, 4)

    def forward(self, image: Tensor) -> Tensor:
        x = self.stem(image)
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean(dim=(2, 3)))


def _train(setting: Setting) -> None:
    images, angles = gratings(900)
    net = Small([Block(12) for _ in range(6)] if setting.is_fixed else [Block(12)] * 6)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    with setting.watch(net):
        for step in range(90):
            rows = torch.randint(900, (24,))
            loss = nn.functional.cross_entropy(net(images[rows]), angles[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 30 == 29:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(
    name="one-block-six-times",
    train=_train,
    source="Stack Overflow, lists of layers by multiplication share their weights",
    truth=Truth(
        rules=("tied-parameters",),
        nodes=("model.blocks", *(f"model.blocks.{place}{part}" for place in range(6) for part in ("", ".conv", ".conv.weight", ".norm"))),
    ),
)
