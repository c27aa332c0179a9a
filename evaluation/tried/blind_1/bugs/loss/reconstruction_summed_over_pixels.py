"""The squared error of an autoencoder is summed over all pixels of the batch by hand, with a learning rate meant for the mean."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    images = digits(1200)[0].flatten(1)
    model = nn.Sequential(nn.Linear(144, 48), nn.ReLU(), nn.Linear(48, 12), nn.ReLU(), nn.Linear(12, 48), nn.ReLU(), nn.Linear(48, 144))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    with setting.watch(model):
        for (x,) in batches(500, 32, images):
            error = (model(x) - x) ** 2
            loss = error.mean() if setting.is_fixed else error.sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="reconstruction-summed-over-pixels",
    train=_train,
    source="PyTorch forum, autoencoders whose summed loss becomes NaN",
    truth=Truth(rules=("summed-loss", "updates-too-large", "exploding-gradient", "diverging-loss")),
)
