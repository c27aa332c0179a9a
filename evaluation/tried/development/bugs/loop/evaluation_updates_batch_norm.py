"""The validation runs in training mode, so the running statistics of batch norm follow the validation data."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs(2400)
    model = nn.Sequential(nn.Linear(20, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 5))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)

    @torch.no_grad()
    def validate() -> float:
        model.train(not setting.is_fixed)
        loss = nn.functional.cross_entropy(model(inputs[2000:]), labels[2000:])
        model.train()
        return float(loss)

    with setting.watch(model):
        for step, (x, y) in enumerate(batches(800, 32, inputs[:2000], labels[:2000])):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 50 == 49:
                print(f"{step}: {validate():.3f}")


PROGRAM = Program(
    name="evaluation-updates-batch-norm",
    train=_train,
    source="TheDeepChecker (switch-mode)",
    truth=Truth(
        rules=("evaluation-changes-buffers", "evaluation-in-training-mode"),
        nodes=("model", "model.1", "model.1.running_mean", "model.1.running_var"),
    ),
)
