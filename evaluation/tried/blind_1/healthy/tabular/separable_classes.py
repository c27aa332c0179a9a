"""Well separated classes are trained to the end: the loss falls to nearly 0 and the logits become large."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    centers = 4 * torch.randn(4, 12)
    labels = torch.randint(0, 4, (800,))
    inputs = centers[labels] + torch.randn(800, 12)
    inputs = (inputs - inputs.mean(dim=0)) / inputs.std(dim=0)
    model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 4))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for _ in range(36):
            for index in torch.randperm(800).split(32):
                loss = nn.functional.cross_entropy(model(inputs[index]), labels[index])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


PROGRAM = Program(
    name="separable-classes", train=_train, source="Soudry et al. 2018: on separable data the logits grow with the logarithm of time"
)
