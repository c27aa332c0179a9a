"""Eight convolutions with a sigmoid behind each pass on almost the same values for all images."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    is_fixed = setting.is_fixed
    images, labels = digits(count=800, size=10)
    images = (images - images.mean()) / images.std()
    bend: type[nn.Module] = nn.ReLU if is_fixed else nn.Sigmoid
    layers: list[nn.Module] = []
    for index in range(8):
        layers += [nn.Conv2d(1 if index == 0 else 10, 10, 3, padding=1), bend()]
    model = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(40, 6))
    if is_fixed:
        for layer in model:
            if isinstance(layer, nn.Conv2d):
                nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for _ in range(12):
            for chosen in torch.randperm(800).split(40):
                loss = nn.functional.cross_entropy(model(images[chosen]), labels[chosen])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    print("loss", loss.item())


PROGRAM = Program(
    name="convolutions-with-sigmoids",
    train=_train,
    source="Humbatova et al. 2020: wrong type of activation; AUTOTRAINER: vanishing gradient with sigmoid",
    truth=Truth(
        rules=(
            "vanishing-gradient",
            "same-for-all-samples",
            "predictions-ignore-input",
            "loss-does-not-fall",
            "rank-collapse",
            "saturated-units",
            "dormant-units",
        ),
    ),
)
