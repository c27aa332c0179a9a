"""Photographs come as bytes from 0 to 255, and nothing scales them before the network."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    is_fixed = setting.is_fixed
    images, labels = digits(count=1200, size=10)
    photographs = (images * 255).to(torch.uint8)
    model = nn.Sequential(nn.Flatten(), nn.Linear(100, 64), nn.Tanh(), nn.Linear(64, 6))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with setting.watch(model):
        for _ in range(8):
            for chosen in torch.randperm(1000).split(40):
                batch = photographs[chosen].float()
                if is_fixed:
                    batch = (batch - 127.5) / 100
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(batch), labels[chosen])
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        rest = photographs[1000:].float()
        rest = (rest - 127.5) / 100 if is_fixed else rest
        print("loss", loss.item(), "accuracy", (model(rest).argmax(1) == labels[1000:]).float().mean().item())


PROGRAM = Program(
    name="photographs-of-whole-bytes",
    train=_train,
    source="Schoop et al. 2021, UMLAUT: input not normalized; Humbatova et al. 2020: missing preprocessing",
    truth=Truth(
        rules=(
            "input-not-normalized",
            "saturated-units",
            "initial-loss",
            "oscillating-loss",
            "vanishing-gradient",
            "predictions-ignore-input",
            "loss-does-not-fall",
            "updates-too-large",
        ),
        nodes=("model: input", "model.0: input", "model.0", "model.1: input", "model.1", "model.2"),
    ),
)
