"""`log_softmax` goes into `CrossEntropyLoss`, which takes it again. The second one changes nothing."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    loader = DataLoader(TensorDataset(*class_blobs(1500, 18, 4)), batch_size=50, shuffle=True)
    model = nn.Sequential(nn.Linear(18, 64), nn.ReLU(), nn.Linear(64, 4), nn.LogSoftmax(dim=1))
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for epoch in range(7):
            for x, y in loader:
                optimizer.zero_grad()
                loss = criterion(model(x), y)
                loss.backward()
                optimizer.step()
            print(epoch, loss.item())


PROGRAM = Program(name="log-softmax-twice", train=_train, source="PyTorch forum: log_softmax is idempotent")
