"""The biases of a convolution begin at -6, as for the scores of rare objects. But behind it is a ReLU: it never opens."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    images, labels = digits()
    images = (images - images.mean()) / images.std()
    hidden = nn.Conv2d(8, 16, 3, stride=2, padding=1)
    model = nn.Sequential(nn.Conv2d(1, 8, 3, stride=2, padding=1), nn.ReLU(), hidden, nn.ReLU(), nn.Flatten(), nn.Linear(144, 6))
    if not setting.is_fixed and hidden.bias is not None:
        nn.init.constant_(hidden.bias, -6.0)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for x, y in batches(200, 32, images, labels):
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"accuracy {(model(images).argmax(1) == labels).float().mean():.2f}")


PROGRAM = Program(
    name="bias-far-below-zero",
    train=_train,
    source="AUTOTRAINER (Zhang et al. 2021), dying ReLU; the bias is that of Lin et al. 2017",
    truth=Truth(
        rules=("dead-relu", "dormant-units", "same-for-all-samples", "zero-gradient", "predictions-ignore-input"),
        nodes=("model.2", "model.3", "model.2.bias", "model.2.weight", "model.5", "model.5: output"),
    ),
)
