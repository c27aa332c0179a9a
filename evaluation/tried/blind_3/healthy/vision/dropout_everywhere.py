"""A convolutional network with much dropout, and a maximum norm for its last weights."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    images, labels = digits(1200)
    train, test = slice(0, 1000), slice(1000, 1200)
    last = nn.Linear(96, 6)
    model = nn.Sequential(
        nn.Dropout(0.1),
        nn.Conv2d(1, 24, 3),
        nn.ReLU(),
        nn.Dropout2d(0.2),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(600, 96),
        nn.ReLU(),
        nn.Dropout(0.5),
        last,
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    with setting.watch(model):
        for _ in range(7):
            model.train()
            for x, y in batches(31, 32, images[train], labels[train]):
                optimizer.zero_grad()
                nn.functional.cross_entropy(model(x), y).backward()
                optimizer.step()
                with torch.no_grad():
                    last.weight.copy_(torch.renorm(last.weight, 2, 0, maxnorm=3.0))
            model.eval()
            with torch.inference_mode():
                print((model(images[test]).argmax(dim=1) == labels[test]).float().mean().item())


PROGRAM = Program(name="dropout-everywhere", train=_train, source="Srivastava et al. 2014 (dropout), with its max-norm constraint")
