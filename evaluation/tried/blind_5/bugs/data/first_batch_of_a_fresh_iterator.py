"""Each step takes next(iter(loader)) of a loader that does not shuffle, and so always the same first batch."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs(classes=4)
    loader = DataLoader(TensorDataset(inputs[:1600], labels[:1600]), batch_size=40, shuffle=setting.is_fixed)
    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 4))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for step in range(250):
            x, y = next(iter(loader))
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 50 == 49:
                with torch.no_grad():
                    right = model(inputs[1600:]).argmax(1) == labels[1600:]
                print(step, "loss", loss.item(), "accuracy", right.float().mean().item())


PROGRAM = Program(
    name="first-batch-of-a-fresh-iterator",
    train=_train,
    source="PyTorch forum, next(iter(loader)) in the loop returns the same batch",
    truth=Truth(rules=("repeated-batch", "overfitting")),
)
