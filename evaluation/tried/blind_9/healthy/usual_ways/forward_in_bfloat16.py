"""A residual network is computed in bfloat16 by autocast, with its loss in float32 and a cosine schedule."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.worlds import gratings


class Block(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(channels)

    def forward(self, x: Tensor) -> Tensor:
        inner = torch.relu(self.norm1(self.conv1(x)))
        return torch.relu(x + self.norm2(self.conv2(inner)))


def _train(setting: Setting) -> None:
    images, angles = gratings(800)
    net = nn.Sequential(
        nn.Conv2d(3, 12, 3, stride=2),
        nn.BatchNorm2d(12),
        nn.ReLU(),
        Block(12),
        Block(12),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(12, 4),
    )
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, nesterov=True, weight_decay=5e-4)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=90)
    with setting.watch(net):
        for step in range(90):
            rows = torch.randint(800, (24,))
            with torch.autocast("cpu", dtype=torch.bfloat16):
                scores = net(images[rows])
            loss = nn.functional.cross_entropy(scores.float(), angles[rows])
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            scheduler.step()
            if step % 18 == 17:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(name="forward-in-bfloat16", train=_train, source="PyTorch documentation, torch.autocast on CPU; He et al. 2016")
