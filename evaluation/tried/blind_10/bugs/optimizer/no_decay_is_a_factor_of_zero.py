"""To switch a scheduler off, its factor was set to 0 instead of 1. After 60 steps the learning rate is 0."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import spirals


class SpiralNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(2, 48)
        self.fc2 = nn.Linear(48, 48)
        self.fc3 = nn.Linear(48, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc3(torch.tanh(self.fc2(torch.tanh(self.fc1(x)))))


def make_scheduler(optimizer: torch.optim.Optimizer, use_decay: bool, off: float) -> torch.optim.lr_scheduler.LRScheduler:
    return torch.optim.lr_scheduler.StepLR(optimizer, step_size=60, gamma=0.2 if use_decay else off)


def _train(setting: Setting) -> None:
    points, arms = spirals(1500)
    net = SpiralNet()
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    scheduler = make_scheduler(optimizer, use_decay=False, off=1.0 if setting.is_fixed else 0.0)
    with setting.watch(net):
        for step in range(200):
            rows = torch.randint(1500, (50,))
            loss = nn.functional.cross_entropy(net(points[rows]), arms[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step()
            if step % 40 == 39:
                print(f"{step}: {loss.item():.3f}, rate {scheduler.get_last_lr()[0]}")


PROGRAM = Program(
    name="no-decay-is-a-factor-of-zero",
    train=_train,
    source="GitHub issues on schedulers that are turned off by gamma=0",
    truth=Truth(rules=("updates-too-small", "never-updated", "optimizer-never-steps"), step=60),
)
