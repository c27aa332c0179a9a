"""All weights and biases start at 0, so that no hidden unit ever differs from another."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting, Truth


def init_weights(m: nn.Module) -> None:
    if isinstance(m, nn.Linear):
        nn.init.zeros_(m.weight)
        nn.init.zeros_(m.bias)


def _train(setting: Setting) -> None:
    x, y = class_blobs(1600, features=12, classes=4)
    net = nn.Sequential(nn.Linear(12, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU(), nn.Linear(40, 4))
    if not setting.is_fixed:
        net.apply(init_weights)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    with setting.watch(net):
        for epoch in range(5):
            for rows in torch.randperm(1600).split(40):
                loss = nn.functional.cross_entropy(net(x[rows]), y[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}, loss {loss.item():f}")


PROGRAM = Program(
    name="all-weights-of-nought",
    train=_train,
    source="https://blog.youkuaiyun.com/language_zcx/article/details/107282409",
    truth=Truth(
        rules=("equal-weights", "zero-gradient", "same-for-all-samples", "predictions-ignore-input", "loss-does-not-fall", "dead-relu")
    ),
)
