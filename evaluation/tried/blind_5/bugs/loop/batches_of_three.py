"""A network with batch normalization is trained with batches of three samples, to save memory."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs(classes=6)
    model = nn.Sequential(
        nn.Linear(20, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 6)
    )
    size = 48 if setting.is_fixed else 3
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    loader = torch.utils.data.DataLoader(
        torch.utils.data.TensorDataset(inputs[:1800], labels[:1800]), batch_size=size, shuffle=True, drop_last=True
    )
    batches = iter(loader)
    with setting.watch(model):
        for _ in range(350):
            try:
                x, y = next(batches)
            except StopIteration:
                batches = iter(loader)
                x, y = next(batches)
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    model.eval()
    with torch.no_grad():
        print("loss", loss.item(), "accuracy", (model(inputs[1800:]).argmax(1) == labels[1800:]).float().mean().item())


PROGRAM = Program(
    name="batches-of-three",
    train=_train,
    source="Humbatova et al. 2020: wrong batch size; PyTorch forum, BatchNorm with small batches",
    truth=Truth(rules=("small-batch-norm", "oscillating-loss", "loss-does-not-fall"), nodes=("model.1", "model.4")),
)
