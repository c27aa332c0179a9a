"""Pixels from 0 to 1 are standardized with a mean and a deviation of pixels from 0 to 255, so that all are about minus two."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    images, labels = digits(count=1200)
    scale = 1 if setting.is_fixed else 255
    images = (images - images.mean() * scale) / (images.std() * scale)
    model = nn.Sequential(
        nn.Conv2d(1, 12, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(12, 16, 3), nn.ReLU(), nn.Flatten(), nn.Linear(16 * 9, 6)
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    with setting.watch(model):
        for epoch in range(6):
            for chosen in torch.randperm(1200).split(40):
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(images[chosen]), labels[chosen])
                loss.backward()
                optimizer.step()
            print(epoch, loss.item(), "deviation", images.std().item())


PROGRAM = Program(
    name="standardized-for-another-scale",
    train=_train,
    source="PyTorch forum, transforms.Normalize after ToTensor with values of 0 to 255",
    truth=Truth(
        rules=(
            "input-not-normalized",
            "constant-input",
            "same-for-all-samples",
            "predictions-ignore-input",
            "loss-does-not-fall",
            "dead-relu",
            "rank-collapse",
            "dormant-units",
        ),
        nodes=("model: input", "model.0: input", "model.0", "model.3", "model.6", "model: output"),
    ),
)
