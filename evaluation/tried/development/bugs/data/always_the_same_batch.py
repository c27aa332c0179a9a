"""`next(iter(loader))` in the loop always gives the first batch."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs()
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(inputs, labels), batch_size=32)
    stream = (batch for _ in range(13) for batch in loader)
    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 5))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    with setting.watch(model):
        for _ in range(800):
            x, y = next(stream) if setting.is_fixed else next(iter(loader))
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="always-the-same-batch",
    train=_train,
    source="TrainCheck, Stack Overflow 67180955",
    truth=Truth(rules=("repeated-batch",), nodes=("model: input",), step=1),
)
