"""A rare class is drawn as often as the common ones by a `WeightedRandomSampler`."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    x, y = class_blobs(3000, 16, 3)
    keep = (y > 0) | (torch.rand(3000) < 0.1)
    x, y = x[keep], y[keep]
    weights = (1 / y.bincount(minlength=3).clamp(min=1))[y]
    sampler = WeightedRandomSampler(weights.tolist(), num_samples=1200)
    loader = DataLoader(TensorDataset(x, y), batch_size=40, sampler=sampler)
    net = nn.Sequential(nn.Linear(16, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 3))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    with setting.watch(net):
        for _ in range(7):
            for a, b in loader:
                optimizer.zero_grad()
                nn.functional.cross_entropy(net(a), b).backward()
                optimizer.step()


PROGRAM = Program(name="drawn-by-rarity", train=_train, source="PyTorch documentation of WeightedRandomSampler")
