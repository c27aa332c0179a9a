"""Behaviour cloning with `tanh(relu(x))` at the end: the network cannot steer to the left."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


def make_drives(count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Views of a road `[N, 1, 8, 16]`, and how an expert steers `[N, 1]`."""
    offset, bend = torch.rand(count) * 1.2 - 0.6, torch.rand(count) - 0.5
    rows = torch.linspace(0, 1, 8)
    center = offset[:, None] * (1 - rows) + bend[:, None] * rows**2
    columns = torch.linspace(-1.2, 1.2, 16)
    road = torch.exp(-(((columns - center[:, :, None]) / 0.25) ** 2))
    steering = torch.tanh(1.5 * offset + bend).unsqueeze(1)
    return (road.unsqueeze(1) - 0.3) / 0.35 + 0.1 * torch.randn(count, 1, 8, 16), steering


def _train(setting: Setting) -> None:
    views, steering = make_drives(1500)
    layers: list[nn.Module] = [
        nn.Conv2d(1, 8, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Conv2d(8, 16, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(128, 32),
        nn.ReLU(),
        nn.Linear(32, 1),
    ]
    if not setting.is_fixed:
        layers.append(nn.ReLU())
    model = nn.Sequential(*layers, nn.Tanh())
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for view, steer in batches(250, 32, views, steering):
            loss = nn.functional.mse_loss(model(view), steer)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="steering-that-cannot-turn-left",
    train=_train,
    source="Stack Overflow, two activations in a row; TheDeepChecker (redundant activation)",
    truth=Truth(
        rules=("activation-after-activation", "target-out-of-range"),
        nodes=("model.8: output", "model.9: output", "model: output", "model.8", "model.9"),
    ),
)
