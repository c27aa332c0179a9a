"""All samples are one batch, and the number of epochs was kept, so there are only a few steps with a small rate."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    x = torch.randn(6000, 12)
    y = (torch.sin(x[:, 0]) + x[:, 1] * x[:, 2] > 0).long()
    loader = DataLoader(TensorDataset(x[:5000], y[:5000]), batch_size=100 if setting.is_fixed else 5000, shuffle=True)
    model = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    with setting.watch(model):
        for _ in range(16):
            for inputs, labels in loader:
                loss = nn.functional.cross_entropy(model(inputs), labels)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        print("accuracy", (model(x[5000:]).argmax(1) == y[5000:]).float().mean().item())


PROGRAM = Program(
    name="sixteen-steps-in-all",
    train=_train,
    source="Cao et al. 2022, DeepFD: wrong batch size and number of epochs",
    truth=Truth(rules=("loss-does-not-fall", "updates-too-small", "repeated-batch", "constant-input")),
)
