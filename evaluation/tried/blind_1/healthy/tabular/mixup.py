"""Mixup and label smoothing: targets are mixtures of classes, so the loss stays high though the network learns."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs(3000)
    targets = nn.functional.one_hot(labels, 5).float()
    model = nn.Sequential(
        nn.Linear(20, 96), nn.BatchNorm1d(96), nn.ReLU(), nn.Linear(96, 96), nn.BatchNorm1d(96), nn.ReLU(), nn.Linear(96, 5)
    )
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4)
    mixture = torch.distributions.Beta(0.4, 0.4)
    with setting.watch(model):
        for x, y in batches(700, 64, inputs, targets):
            share = mixture.sample()
            other = torch.randperm(64)
            logits = model(share * x + (1 - share) * x[other])
            loss = criterion(logits, share * y + (1 - share) * y[other])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="mixup", train=_train, source="Zhang et al. 2018")
