"""A large network learns sixty noisy samples by heart: the loss of the validation rises and rises."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    is_fixed = setting.is_fixed
    inputs = torch.randn(3000, 20)
    labels = (inputs[:, 0] + inputs[:, 1] + torch.randn(3000) > 0).long()
    held_x, held_y = inputs[2500:], labels[2500:]
    known = 2500 if is_fixed else 60
    model = nn.Sequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 2))
    if is_fixed:
        model = nn.Sequential(nn.Linear(20, 16), nn.Tanh(), nn.Linear(16, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3 if not is_fixed else 5e-3)
    with setting.watch(model):
        for step, (x, y) in enumerate(batches(200, 30, inputs[:known], labels[:known])):
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 10 == 9:
                model.eval()
                with torch.no_grad():
                    held = F.cross_entropy(model(held_x), held_y)
                model.train()
                if step % 50 == 49:
                    print(f"training {loss.item():.3f}, validation {held:.3f}")


PROGRAM = Program(
    name="sixty-samples-by-heart",
    train=_train,
    source="StackOverflow, validation loss rises; Humbatova et al. 2020, not enough training data",
    truth=Truth(rules=("overfitting",)),
)
