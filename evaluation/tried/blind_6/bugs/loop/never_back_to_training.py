"""After the first validation nobody calls `model.train()` again: dropout and batch normalization stay as in evaluation."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth

VALIDATION = 80


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs(count=2600)
    held_x, held_y = inputs[2000:], labels[2000:]
    model = nn.Sequential(
        nn.Linear(20, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, 64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, 5)
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for step, (x, y) in enumerate(batches(240, 64, inputs[:2000], labels[:2000])):
            if step and step % VALIDATION == 0:
                model.eval()
                with torch.no_grad():
                    print(f"accuracy {(model(held_x).argmax(1) == held_y).float().mean():.2f}")
                if setting.is_fixed:
                    model.train()
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"training {model.training}, loss {loss.item():.2f}")


PROGRAM = Program(
    name="never-back-to-training",
    train=_train,
    source="PyTorch forum, forgot model.train() after validation",
    truth=Truth(rules=("training-in-evaluation-mode",), nodes=("model.1", "model.3", "model.6"), step=VALIDATION),
)
