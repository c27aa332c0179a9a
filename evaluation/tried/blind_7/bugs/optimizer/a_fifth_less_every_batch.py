"""A schedule was meant for epochs, and `step()` is called after every batch: the rate is a millionth after 60 batches."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    loader = DataLoader(TensorDataset(*class_blobs(1600, 24, 6)), batch_size=40, shuffle=True)
    model = nn.Sequential(nn.Linear(24, 80), nn.ReLU(), nn.Linear(80, 80), nn.ReLU(), nn.Linear(80, 6))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    every = len(loader) if setting.is_fixed else 1
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=every, gamma=0.8)
    with setting.watch(model):
        for epoch in range(6):
            for x, y in loader:
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(x), y)
                loss.backward()
                optimizer.step()
                schedule.step()
            print(epoch, loss.item(), schedule.get_last_lr())


PROGRAM = Program(
    name="a-fifth-less-every-batch",
    train=_train,
    source="PyTorch forum, scheduler.step() in the loop over batches",
    truth=Truth(rules=("updates-too-small", "never-updated", "loss-does-not-fall")),
)
