"""A cord is marked in slices. The rate is lowered by a schedule, as the configuration says."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import outlines
from evaluation.program import Program, Setting, Truth


class CordNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 16, 3, padding=1), nn.ReLU())
        self.out = nn.Conv2d(16, 1, 1)

    def forward(self, image: Tensor) -> Tensor:
        return self.out(self.body(image)).squeeze(1)


def _train(setting: Setting) -> None:
    images, masks = outlines(480)
    model = CordNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.8)
    with setting.watch(model):
        for epoch in range(6):
            for batch, rows in enumerate(torch.randperm(480).split(16)):
                loss = nn.functional.binary_cross_entropy_with_logits(model(images[rows]), masks[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                if batch == 29 or not setting.is_fixed:
                    scheduler.step()
            print(f"epoch {epoch}: {loss.item():.4f}, rate {scheduler.get_last_lr()[0]:.2e}")


PROGRAM = Program(
    name="cords-in-slices",
    train=_train,
    source="https://github.com/ivadomed/ivadomed/pull/55",
    truth=Truth(rules=("updates-too-small", "loss-does-not-fall")),
)
