"""The last batch of an epoch holds a single sample, and batch normalization refuses it: `drop_last` is missing."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs(count=2017)
    loader = DataLoader(TensorDataset(inputs, labels), batch_size=32, shuffle=True, drop_last=setting.is_fixed)
    model = nn.Sequential(nn.Linear(20, 48), nn.BatchNorm1d(48), nn.ReLU(), nn.Linear(48, 5))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    try:
        with setting.watch(model):
            for _ in range(3):
                for x, y in loader:
                    loss = F.cross_entropy(model(x), y)
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
    except ValueError as error:
        print(f"stopped: {error}")
    print(f"loss {loss.item():.2f}")


PROGRAM = Program(
    name="one-sample-is-left",
    train=_train,
    source="StackOverflow, expected more than 1 value per channel when training",
    truth=Truth(rules=("exception-in-step", "small-batch-norm"), nodes=("model.1",), step=63),
)
