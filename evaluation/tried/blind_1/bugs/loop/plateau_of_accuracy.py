"""`ReduceLROnPlateau` waits for a larger value and gets the loss: the better the network, the smaller its learning rate."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import shapes


def _train(setting: Setting) -> None:
    data = shapes(1600, size=12)
    model = nn.Sequential(
        nn.Conv2d(1, 12, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(12, 24, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(216, 4),
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, mode="min" if setting.is_fixed else "max", patience=0, factor=0.1)
    with setting.watch(model):
        total = 0.0
        for step, (x, y) in enumerate(batches(600, 32, data.images, data.classes), start=1):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            total += float(loss)
            if step % 40 == 0:
                scheduler.step(total / 40)
                total = 0.0


PROGRAM = Program(
    name="plateau-of-accuracy",
    train=_train,
    source="PyTorch forum, ReduceLROnPlateau with mode='max' and a loss",
    # The rate is a thousandth after the fourth value.
    truth=Truth(rules=("updates-too-small", "loss-does-not-fall"), step=160),
)
