"""Fine-tuning: first the head alone, then the last convolution as well, with a smaller rate and in a new group."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting
from evaluation.worlds import gratings


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.early = nn.Sequential(nn.Conv2d(3, 16, 3, stride=2), nn.ReLU())
        self.late = nn.Sequential(nn.Conv2d(16, 24, 3, stride=2), nn.ReLU(), nn.Flatten())
        self.head = nn.Linear(96, 4)

    def forward(self, images: Tensor) -> Tensor:
        return self.head(self.late(self.early(images)))


def _train(setting: Setting) -> None:
    model = Net()
    pretraining = torch.optim.Adam(model.parameters(), lr=2e-3)
    for x, y in batches(80, 32, *gratings(600)):
        pretraining.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        pretraining.step()

    model.head = nn.Linear(96, 8)
    model.early.requires_grad_(False)
    model.late.requires_grad_(False)
    optimizer = torch.optim.Adam(model.head.parameters(), lr=5e-3)
    images, angles = gratings(900, angles=8)
    with setting.watch(model):
        for step, (x, y) in enumerate(batches(220, 36, images, angles)):
            if step == 110:
                model.late.requires_grad_(True)
                optimizer.add_param_group({"params": list(model.late.parameters()), "lr": 1e-3})
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()


PROGRAM = Program(name="last-block-unfrozen-later", train=_train, source="Howard and Ruder 2018 (gradual unfreezing)")
