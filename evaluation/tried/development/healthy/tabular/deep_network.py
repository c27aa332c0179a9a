"""Ten layers with Kaiming initialisation and batch norm, trained with RMSprop."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    x = torch.randn(3000, 8)
    classes = ((x[:, 0] * x[:, 1] > 0).long() + (x[:, 2] + x[:, 3] ** 2 > 1).long()).clamp(max=2)
    layers: list[nn.Module] = []
    for depth in range(9):
        linear = nn.Linear(8 if depth == 0 else 32, 32)
        nn.init.kaiming_normal_(linear.weight, nonlinearity="relu")
        nn.init.zeros_(linear.bias)
        layers += [linear, nn.BatchNorm1d(32), nn.ReLU()]
    model = nn.Sequential(*layers, nn.Linear(32, 3))
    optimizer = torch.optim.RMSprop(model.parameters(), lr=5e-4)
    with setting.watch(model):
        for _ in range(15):
            for index in torch.randperm(3000).split(60):
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(x[index]), classes[index])
                loss.backward()
                optimizer.step()


PROGRAM = Program(name="deep-network", train=_train, source="He et al. 2015: initialisation for rectifiers")
