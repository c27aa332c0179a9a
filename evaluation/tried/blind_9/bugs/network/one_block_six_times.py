"""`nn.ModuleList([Block()] * 6)` holds the same block six times."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import spirals


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(width)
        self.linear = nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(self.linear(self.norm(x)))


class Deep(nn.Module):
    def __init__(self, blocks: list[Block], width: int) -> None:
        super().__init__()
        self.stem = nn.Linear(2, width)
        self.blocks = nn.ModuleList(blocks)
        self.head = nn.Linear(width, 3)

    def forward(self, point: Tensor) -> Tensor:
        x = torch.relu(self.stem(point))
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def _train(setting: Setting) -> None:
    points, arms = spirals(1500)
    blocks = [Block(12) for _ in range(6)] if setting.is_fixed else [Block(12)] * 6
    net = Deep(blocks, 12)
    optimizer = torch.optim.Adam(net.parameters(), lr=6e-3)
    with setting.watch(net):
        for step in range(180):
            rows = torch.randint(1500, (64,))
            loss = nn.functional.cross_entropy(net(points[rows]), arms[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 45 == 44:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(
    name="one-block-six-times",
    train=_train,
    source="Stack Overflow, lists of layers by multiplication share their weights",
    truth=Truth(
        rules=("tied-parameters",),
        nodes=("model.blocks", *(f"model.blocks.0{part}" for part in ("", ".linear", ".linear.weight", ".norm", ".norm.weight"))),
    ),
)
