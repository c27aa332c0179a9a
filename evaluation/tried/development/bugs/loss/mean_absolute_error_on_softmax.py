"""Mean absolute error between a softmax and one-hot targets of ten classes: gradients are tiny where the network is wrong."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs(classes=10)
    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    with setting.watch(model):
        for x, y in batches(1000, 32, inputs, labels):
            if setting.is_fixed:
                loss = nn.functional.cross_entropy(model(x), y)
            else:
                loss = nn.functional.l1_loss(torch.softmax(model(x), dim=1), nn.functional.one_hot(y, 10).float())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="mean-absolute-error-on-softmax",
    train=_train,
    source="Zhang and Sabuncu 2018",
    truth=Truth(rules=("loss-does-not-fall", "updates-too-small", "vanishing-gradient")),
)
