"""A trained network is unfrozen layer by layer from the top, with smaller rates for lower layers."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    x, y = class_blobs(1500, 16, 5)
    layers = [nn.Sequential(nn.Linear(16, 48), nn.ReLU()), nn.Sequential(nn.Linear(48, 48), nn.ReLU()), nn.Linear(48, 5)]
    model = nn.Sequential(*layers)
    before = torch.optim.Adam(model.parameters(), lr=3e-3)
    for some, labels in batches(150, 50, x, y):
        before.zero_grad()
        nn.functional.cross_entropy(model(some), labels).backward()
        before.step()

    # The same inputs, and classes that are merged and named anew.
    model[2] = nn.Linear(48, 3)
    y = torch.tensor([2, 0, 1, 1, 0])[y]
    rates = (5e-4, 1e-3, 4e-3)
    optimizer = torch.optim.Adam([{"params": part.parameters(), "lr": rate} for part, rate in zip(model, rates, strict=True)])
    model[0].requires_grad_(False)
    model[1].requires_grad_(False)
    with setting.watch(model):
        for step, (some, labels) in enumerate(batches(240, 50, x, y)):
            if step == 80:
                model[1].requires_grad_(True)
            if step == 160:
                model[0].requires_grad_(True)
            loss = nn.functional.cross_entropy(model(some), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="unfrozen-from-the-top", train=_train, source="Howard and Ruder 2018 (ULMFiT)")
