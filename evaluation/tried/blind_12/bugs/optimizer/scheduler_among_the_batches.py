"""The schedule is stepped after every batch instead of after every epoch: the rate is gone within the first epoch."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.everyday import outlines
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    is_fixed = setting.is_fixed
    images, masks = outlines(800)
    model = nn.Sequential(
        nn.Conv2d(1, 12, 3, padding=1),
        nn.BatchNorm2d(12),
        nn.PReLU(),
        nn.Conv2d(12, 12, 3, padding=1),
        nn.BatchNorm2d(12),
        nn.PReLU(),
        nn.Conv2d(12, 1, 1),
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.7)
    with setting.watch(model):
        for epoch in range(5):
            for rows in torch.randperm(800).split(25):
                optimizer.zero_grad()
                p = torch.sigmoid(model(images[rows]))[:, 0]
                overlap = (p * masks[rows]).sum(dim=(1, 2))
                dice = 1 - (2 * overlap + 1) / (p.sum(dim=(1, 2)) + masks[rows].sum(dim=(1, 2)) + 1)
                loss = dice.mean()
                loss.backward()
                optimizer.step()
                if not is_fixed:
                    scheduler.step()
            if is_fixed:
                scheduler.step()
            print(f"epoch {epoch}: dice loss {loss.item():.4f}, rate {scheduler.get_last_lr()[0]:.1e}")


PROGRAM = Program(
    name="scheduler-among-the-batches",
    train=_train,
    source="https://github.com/ivadomed/ivadomed/pull/55",
    truth=Truth(rules=("updates-too-small", "loss-does-not-fall")),
)
