"""Dropout of 0.5 behind both hidden layers, as in the networks of 2012. Training looks worse than validation."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs(count=5000)
    model = nn.Sequential(
        nn.Linear(20, 128), nn.ReLU(), nn.Dropout(0.5), nn.Linear(128, 128), nn.ReLU(), nn.Dropout(0.5), nn.Linear(128, 5)
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    with setting.watch(model):
        for step, (x, y) in enumerate(batches(300, 64, inputs[:4000], labels[:4000])):
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 60 == 59:
                model.eval()
                with torch.no_grad():
                    held = F.cross_entropy(model(inputs[4000:]), labels[4000:])
                print(f"training {loss.item():.3f}, validation {held:.3f}")
                model.train()


PROGRAM = Program(name="half-of-the-units-dropped", train=_train, source="Srivastava et al. 2014")
