"""The momentum of the normalization is the other library's 0.99, which means here that only the last batch counts."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.everyday import photos
from evaluation.program import Program, Setting, Truth


def block(before: int, after: int, momentum: float) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(before, after, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(after, momentum=momentum), nn.ReLU())


def _train(setting: Setting) -> None:
    pixels, labels = photos(900, classes=5)
    images = (pixels - 128) / 50 * (0.3 + 1.4 * torch.rand(900, 1, 1, 1))
    momentum = 0.01 if setting.is_fixed else 0.99
    model = nn.Sequential(block(3, 12, momentum), block(12, 24, momentum), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(24, 5))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    with setting.watch(model):
        for epoch in range(8):
            model.train()
            for rows in torch.randperm(750).split(6)[:25]:
                loss = nn.functional.cross_entropy(model(images[rows]), labels[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                valid = nn.functional.cross_entropy(model(images[750:]), labels[750:])
            print(f"epoch {epoch}: train {loss.item():.3f}, valid {valid.item():.3f}")


PROGRAM = Program(
    name="momentum-as-elsewhere",
    train=_train,
    source="https://github.com/jwyang/faster-rcnn.pytorch/issues/170",
    truth=Truth(rules=("batch-norm-momentum",), nodes=("model.0.1", "model.1.1", "model.0", "model.1")),
)
