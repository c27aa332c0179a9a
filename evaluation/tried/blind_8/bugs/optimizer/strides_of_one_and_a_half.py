"""A rate that is right for a linear model is used for a deep convolutional network."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    loader = DataLoader(TensorDataset(*digits(1200)), batch_size=40, shuffle=True)
    layers: list[nn.Module] = []
    for ins, outs in ((1, 12), (12, 24), (24, 24)):
        layers += [nn.Conv2d(ins, outs, 3, padding=1), nn.ReLU()]
    net = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(24 * 16, 6))
    rate = 0.05 if setting.is_fixed else 1.5
    optimizer = torch.optim.SGD(net.parameters(), lr=rate, momentum=0.9)
    with setting.watch(net):
        for epoch in range(5):
            hits = 0
            for image, label in loader:
                optimizer.zero_grad()
                out = net(image)
                loss = F.cross_entropy(out, label)
                loss.backward()
                optimizer.step()
                hits += int((out.argmax(dim=1) == label).sum())
            print(f"epoch {epoch}: {loss.item():.2f}, {hits / 1200:.2f}")


PROGRAM = Program(
    name="strides-of-one-and-a-half",
    train=_train,
    source="Humbatova et al. 2020, hyperparameters: learning rate; DeepCrime, change of the learning rate",
    truth=Truth(
        rules=(
            "updates-too-large",
            "dead-relu",
            "dormant-units",
            "exploding-gradient",
            "same-for-all-samples",
            "predictions-ignore-input",
            "loss-does-not-fall",
        ),
    ),
)
