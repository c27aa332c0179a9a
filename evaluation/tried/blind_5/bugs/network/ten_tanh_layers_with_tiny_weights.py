"""Ten tanh layers start with weights of deviation 0.01, and almost nothing of the input or of the gradient gets through."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs(classes=4)
    layers: list[nn.Module] = [nn.Linear(20, 32), nn.Tanh()]
    for _ in range(9):
        layers += [nn.Linear(32, 32), nn.Tanh()]
    model = nn.Sequential(*layers, nn.Linear(32, 4))
    for layer in model:
        if isinstance(layer, nn.Linear):
            if setting.is_fixed:
                nn.init.xavier_uniform_(layer.weight, gain=5 / 3)
            else:
                nn.init.normal_(layer.weight, std=0.01)
            nn.init.zeros_(layer.bias)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    with setting.watch(model):
        for _ in range(8):
            for chosen in torch.randperm(2000).split(50):
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(inputs[chosen]), labels[chosen])
                loss.backward()
                optimizer.step()
    print("loss", loss.item())


PROGRAM = Program(
    name="ten-tanh-layers-with-tiny-weights",
    train=_train,
    source="Glorot and Bengio 2010; AUTOTRAINER: vanishing gradient; Humbatova et al. 2020: wrong weights initialization",
    truth=Truth(
        rules=(
            "vanishing-gradient",
            "same-for-all-samples",
            "predictions-ignore-input",
            "loss-does-not-fall",
            "dormant-units",
            "rank-collapse",
            "updates-too-small",
            "weights-collapse",
            "zero-gradient",
            "branch-without-effect",
        ),
    ),
)
