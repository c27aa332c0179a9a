"""Each residual branch ends in a normalization with a scale of zero, so all blocks begin as the identity."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.worlds import gratings


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.branch = nn.Sequential(
            nn.Conv2d(width, width, 3, padding=1, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(),
            nn.Conv2d(width, width, 3, padding=1, bias=False),
            nn.BatchNorm2d(width),
        )

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x + self.branch(x))


def _train(setting: Setting) -> None:
    images, angles = gratings(900, noise=1.0)
    net = nn.Sequential(
        nn.Conv2d(3, 16, 3, stride=2, bias=False),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        Block(16),
        Block(16),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(16, 4),
    )
    for block in net:
        if isinstance(block, Block):
            last = block.branch[-1]
            assert isinstance(last, nn.BatchNorm2d)
            nn.init.zeros_(last.weight)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
    with setting.watch(net):
        for step in range(100):
            rows = torch.randint(900, (32,))
            loss = nn.functional.cross_entropy(net(images[rows]), angles[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 25 == 24:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(name="branches-begin-at-zero", train=_train, source="Goyal et al. 2017, scales of the last normalization start at 0")
