"""The images are read with pixels from 0 to 255 and go into the network as they are."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    images, labels = digits()
    images = (images * 255).round()
    if setting.is_fixed:
        images = (images / 255 - 0.45) / 0.4
    model = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(288, 6))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.03, momentum=0.9)
    with setting.watch(model):
        for x, y in batches(200, 32, images, labels):
            logits = model(x)
            loss = F.cross_entropy(logits, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"accuracy {(logits.argmax(1) == y).float().mean():.2f}")


PROGRAM = Program(
    name="pixels-as-in-the-file",
    train=_train,
    source="Humbatova et al. 2020, missing preprocessing; PyTorch forum, training on images without ToTensor",
    truth=Truth(rules=("input-not-normalized",), nodes=("model: input",)),
)
