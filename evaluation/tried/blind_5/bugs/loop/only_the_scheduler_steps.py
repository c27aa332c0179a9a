"""The loop calls scheduler.step() where it should call optimizer.step() too."""

from __future__ import annotations

import warnings

import torch
from torch import nn

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    warnings.filterwarnings("ignore", message="Detected call of `lr_scheduler.step")
    inputs, labels = class_blobs(features=16)
    model = nn.Sequential(nn.Linear(16, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 5))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=280)
    with setting.watch(model):
        for epoch in range(7):
            for chosen in torch.randperm(2000).split(50):
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(inputs[chosen]), labels[chosen])
                loss.backward()
                if setting.is_fixed:
                    optimizer.step()
                scheduler.step()
            print(epoch, loss.item())


PROGRAM = Program(
    name="only-the-scheduler-steps",
    train=_train,
    source="Islam et al. 2019: missing API call; PyTorch forum, loss stays the same, optimizer.step is missing",
    truth=Truth(
        rules=("optimizer-never-steps", "never-updated", "loss-does-not-fall", "frozen-as-initialized", "predictions-ignore-input")
    ),
)
