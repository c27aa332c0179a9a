"""Colours are sorted into names. Each coordinate is brought to the range from 0 to 1 by its smallest and its largest value."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


def _normalized(raw: Tensor, floor: float) -> Tensor:
    smallest, largest = raw.amin(dim=0), raw.amax(dim=0)
    return (raw - smallest) / (largest - smallest).clamp(min=floor)


def _train(setting: Setting) -> None:
    red, green = 255 * torch.rand(1200), 255 * torch.rand(1200)
    names = (red > green).long() + (red + green > 255).long() + 2 * (red - green).abs().lt(60).long()
    colours = torch.stack([red, green, torch.zeros(1200)], dim=1).round()
    x = _normalized(colours, 1e-6 if setting.is_fixed else 0.0)
    model = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 5))
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for epoch in range(6):
            for rows in torch.randperm(1200).split(40):
                loss = nn.functional.cross_entropy(model(x[rows]), names[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="colours-sorted-by-a-sketch",
    train=_train,
    source="https://github.com/ml5js/ml5-next-gen/issues/204",
    truth=Truth(rules=("nan-origin",), nodes=("model: input", "model.0: input"), step=0),
)
