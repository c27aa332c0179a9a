"""The function that loads a model also calls `eval()`. Fine-tuning goes on in that mode."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting, Truth


def build() -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(1, 10, 3),
        nn.BatchNorm2d(10),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(10, 20, 3),
        nn.BatchNorm2d(20),
        nn.ReLU(),
        nn.Flatten(),
        nn.Dropout(0.3),
        nn.Linear(180, 6),
    )


def load_for_inference() -> nn.Sequential:
    model = build()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for x, y in batches(60, 32, *digits(500)):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
    return model.eval()


def _train(setting: Setting) -> None:
    model = load_for_inference()
    if setting.is_fixed:
        model.train()
    images, labels = digits(900)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for x, y in batches(180, 30, 2 * images, labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="trained-as-it-was-loaded",
    train=_train,
    source="transformers: from_pretrained returns a model in evaluation mode; Karpathy's common mistakes",
    truth=Truth(rules=("training-in-evaluation-mode",), nodes=("model", "model.1", "model.5", "model.8")),
)
