"""The width of the second layer is `features // 16`. With 30 features, that is a single unit."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting, Truth


def mlp(features: int, classes: int, squeeze: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(features, 2 * features),
        nn.LeakyReLU(),
        nn.Linear(2 * features, features // squeeze),
        nn.LeakyReLU(),
        nn.Linear(features // squeeze, 2 * features),
        nn.LeakyReLU(),
        nn.Linear(2 * features, classes),
    )


def _train(setting: Setting) -> None:
    x, y = class_blobs(1800, features=30, classes=5)
    net = mlp(30, 5, squeeze=1 if setting.is_fixed else 16)
    optimizer = torch.optim.AdamW(net.parameters(), lr=2e-3)
    with setting.watch(net):
        for _ in range(6):
            for a, b in DataLoader(TensorDataset(x, y), batch_size=45, shuffle=True):
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(net(a), b)
                loss.backward()
                optimizer.step()
            print(loss.item())


PROGRAM = Program(
    name="width-divided-by-sixteen",
    train=_train,
    source="Humbatova et al. 2020, model: suboptimal number of neurons; DeepCrime",
    truth=Truth(
        rules=("one-unit-bottleneck",),
        nodes=("model.2", "model.2: output", "model.3", "model.3: output", "model.4", "model.4: input", "model.2.weight", "model.4.weight"),
    ),
)
