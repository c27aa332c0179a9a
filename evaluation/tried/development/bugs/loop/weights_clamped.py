"""Weights are clamped to 0.001 after every step, a leftover of a Wasserstein GAN."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs()
    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 5))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for x, y in batches(800, 32, inputs, labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if not setting.is_fixed:
                for parameter in model.parameters():
                    parameter.data.clamp_(-0.001, 0.001)


PROGRAM = Program(
    name="weights-clamped",
    train=_train,
    source="Arjovsky et al. 2017, weight clipping",
    truth=Truth(
        rules=("weights-collapse", "vanishing-gradient", "loss-does-not-fall"), nodes=("model.0.weight", "model.2.weight", "model.4.weight")
    ),
)
