"""SGD without momentum gets a learning rate of a hundred-thousandth, as if it were fine-tuning."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs(classes=4)
    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2 if setting.is_fixed else 1e-5)
    criterion = nn.CrossEntropyLoss()
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(inputs, labels), batch_size=50, shuffle=True)
    with setting.watch(model):
        for epoch in range(9):
            for x, y in loader:
                optimizer.zero_grad()
                loss = criterion(model(x), y)
                loss.backward()
                optimizer.step()
            print(epoch, loss.item())


PROGRAM = Program(
    name="crawling-sgd",
    train=_train,
    source="Zhang et al. 2021, AUTOTRAINER: slow convergence; Zhang et al. 2018: learning rate too low",
    truth=Truth(rules=("updates-too-small", "loss-does-not-fall", "predictions-ignore-input")),
)
