"""`gamma=0.1` is meant per thirty epochs, and `ExponentialLR` applies it to each: after four, nothing moves."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import spirals


def _train(setting: Setting) -> None:
    points, arms = spirals(1000)
    net = nn.Sequential(nn.Linear(2, 48), nn.Mish(), nn.Linear(48, 48), nn.Mish(), nn.Linear(48, 3))
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.97 if setting.is_fixed else 0.1)
    with setting.watch(net):
        for epoch in range(25):
            for chosen in torch.randperm(1000).split(80):
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(net(points[chosen]), arms[chosen])
                loss.backward()
                optimizer.step()
            scheduler.step()
            print(epoch, loss.item(), scheduler.get_last_lr())


PROGRAM = Program(
    name="a-tenth-per-epoch",
    train=_train,
    source="PyTorch forum, ExponentialLR and gamma; loss stops falling after a few epochs",
    truth=Truth(rules=("updates-too-small", "loss-does-not-fall", "predictions-ignore-input", "never-updated"), step=39),
)
