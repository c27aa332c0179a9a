"""The exponential of the loss over a small number is minimized: its slope is hundreds of times as steep as that of the loss."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    eta = 0.3
    data, target = class_blobs(1600, features=10, classes=6)
    client_model = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 6))
    optimizer = torch.optim.SGD(client_model.parameters(), lr=0.02, momentum=0.9)
    criterion = nn.CrossEntropyLoss()
    with setting.watch(client_model):
        for e in range(4):
            for rows in torch.randperm(1600).split(20):
                optimizer.zero_grad()
                output = client_model(data[rows])
                loss = criterion(output, target[rows])
                if not setting.is_fixed:
                    loss = torch.exp(loss / eta)
                loss.backward()
                optimizer.step()
            print(f"{e}: {loss.item():.4f}")


PROGRAM = Program(
    name="cost-to-the-power-of-e",
    train=_train,
    source="https://whosebug.com/question/6301115/Weird-behaviour-of-loss-function-in-pytorch",
    truth=Truth(
        rules=(
            "nan-origin",
            "exploding-gradient",
            "gradient-spike",
            "diverging-loss",
            "runaway-growth",
            "updates-too-large",
            "initial-loss",
        ),
        nodes=("exp", "div", "cross_entropy", "cross_entropy: target", "model.4", "model: output"),
    ),
)
