"""A wide network without regularization on 40 samples with noisy labels."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs(4400, classes=3)
    count = 4000 if setting.is_fixed else 40
    x_train, y_train, x_test, y_test = inputs[:count], labels[:count], inputs[4000:], labels[4000:]
    y_train = torch.where(torch.rand(count) < 0.1, torch.randint(0, 3, (count,)), y_train)
    model = nn.Sequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 3))
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-4)
    with setting.watch(model):
        for step, (x, y) in enumerate(batches(800, 32, x_train, y_train)):
            model.train()
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 20 == 0:
                model.eval()
                with torch.no_grad():
                    validation = nn.functional.cross_entropy(model(x_test), y_test)
                print(f"{step}: {validation:.3f}")


PROGRAM = Program(
    name="overfitting-on-forty-samples",
    train=_train,
    source="TheDeepChecker (overfitting)",
    truth=Truth(rules=("overfitting",)),
)
