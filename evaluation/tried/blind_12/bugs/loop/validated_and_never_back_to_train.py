"""After the first validation the model stays in evaluation mode: no dropout, and frozen statistics of its normalization."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import class_blobs
from evaluation.program import Program, Setting, Truth


class Trainer:
    def __init__(self, model: nn.Module, *, trains_on: bool) -> None:
        self.model = model
        self.trains_on = trains_on
        self.x, self.y = class_blobs(1800, features=16, classes=4)
        self.optim = torch.optim.Adam(model.parameters(), lr=2e-3)

    def validate(self) -> float:
        self.model.eval()
        with torch.no_grad():
            loss = nn.functional.cross_entropy(self.model(self.x[1500:]), self.y[1500:])
        if self.trains_on:
            self.model.train()
        return loss.item()

    def train_epoch(self, epoch: int) -> None:
        self.model.train()
        for iteration, rows in enumerate(torch.randperm(1500).split(30)):
            if iteration % 25 == 10:
                print(f"epoch {epoch}, iteration {iteration}: validation {self.validate():.4f}")
            self.optim.zero_grad()
            loss = nn.functional.cross_entropy(self.model(self.x[rows]), self.y[rows])
            loss.backward()
            self.optim.step()


def _train(setting: Setting) -> None:
    model = nn.Sequential(nn.Linear(16, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(0.3), nn.Linear(64, 4))
    trainer = Trainer(model, trains_on=setting.is_fixed)
    with setting.watch(model):
        for epoch in range(3):
            trainer.train_epoch(epoch)


PROGRAM = Program(
    name="validated-and-never-back-to-train",
    train=_train,
    source="https://github.com/wkentaro/pytorch-fcn/issues/57",
    truth=Truth(rules=("training-in-evaluation-mode",), step=10),
)
