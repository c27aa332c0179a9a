"""A batch is computed in four parts, whose losses are divided by four, with clipping before the step."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.datasets import digits
from evaluation.program import Program, Setting

PARTS = 4


def _train(setting: Setting) -> None:
    loader = DataLoader(TensorDataset(*digits(960)), batch_size=16, shuffle=True)
    net = nn.Sequential(
        nn.Conv2d(1, 12, 3), nn.GroupNorm(3, 12), nn.SiLU(), nn.Conv2d(12, 16, 3, stride=2), nn.SiLU(), nn.Flatten(), nn.Linear(256, 6)
    )
    optimizer = torch.optim.AdamW(net.parameters(), lr=3e-3)
    optimizer.zero_grad()
    with setting.watch(net):
        for _ in range(8):
            for number, (x, y) in enumerate(loader, start=1):
                loss = nn.functional.cross_entropy(net(x), y)
                (loss / PARTS).backward()
                if number % PARTS == 0:
                    nn.utils.clip_grad_norm_(net.parameters(), 2.0)
                    optimizer.step()
                    optimizer.zero_grad()


PROGRAM = Program(name="four-parts-of-a-batch", train=_train, source="PyTorch forum, gradient accumulation")
