"""A quarter of the labels is wrong, as in data from a crowd. The loss stays high, and the network is as good as it can be."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    inputs, clean = class_blobs(count=6000, classes=4)
    noisy = torch.where(torch.rand(6000) < 0.25, torch.randint(4, (6000,)), clean)
    model = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 4))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.01)
    with setting.watch(model):
        for x, y in batches(260, 64, inputs, noisy):
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"accuracy {(model(inputs).argmax(1) == clean).float().mean():.2f}")


PROGRAM = Program(name="every-fourth-label-wrong", train=_train, source="Zhang et al. 2017, training with label noise")
