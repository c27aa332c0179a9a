"""An image network predicts the number of the class with a squared error, as if a frog lay between a dog and a horse."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    is_fixed = setting.is_fixed
    images, labels = digits(classes=6)
    images = (images - 0.45) / 0.4
    outputs = 6 if is_fixed else 1
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3),
        nn.ReLU(),
        nn.Conv2d(8, 8, 3, stride=2),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(128, 32),
        nn.ReLU(),
        nn.Linear(32, outputs),
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for x, y in batches(200, 32, images, labels):
            prediction = model(x)
            loss = F.cross_entropy(prediction, y) if is_fixed else F.mse_loss(prediction, y.float()[:, None])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    prediction = model(images)
    classes = prediction.argmax(1) if is_fixed else prediction[:, 0].round().long()
    print(f"accuracy {(classes == labels).float().mean():.2f}")


PROGRAM = Program(
    name="number-of-the-animal",
    train=_train,
    source="Humbatova et al. 2020, wrong loss function for the task",
    truth=Truth(rules=("class-numbers-as-target",), nodes=("mse_loss: target", "mse_loss", "model.7", "model.7: output")),
)
