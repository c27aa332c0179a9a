"""Numbers of inputs and outputs were confused in the first of four layers: seven measurements go through a single unit."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


def concrete(count: int) -> tuple[Tensor, Tensor]:
    """What a concrete is mixed of, and its strength."""
    mix = torch.randn(count, 7)
    strength = mix[:, 0] * mix[:, 1] + (2 * mix[:, 2]).sin() + mix[:, 3].abs() - mix[:, 4] * mix[:, 5] + 0.1 * torch.randn(count)
    return mix, (strength - strength.mean())[:, None] / strength.std()


def hidden(inside: int, outside: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(inside, outside), nn.BatchNorm1d(outside), nn.ReLU(), nn.Dropout(0.1))


def _train(setting: Setting) -> None:
    mix, strength = concrete(2000)
    first = 64 if setting.is_fixed else 1
    net = nn.Sequential(hidden(7, first), hidden(first, 100), hidden(100, 64), nn.Linear(64, 1))
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    with setting.watch(net):
        for step in range(180):
            rows = torch.randint(2000, (50,))
            loss = nn.functional.mse_loss(net(mix[rows]), strength[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 30 == 29:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(
    name="first-layer-of-one-unit",
    train=_train,
    source="A blog about a regression with the same prediction for all: Linear(7, 1) as its first layer",
    truth=Truth(
        rules=(
            "one-unit-bottleneck",
            "predictions-ignore-input",
            "loss-does-not-fall",
            "dead-relu",
            "same-for-all-samples",
            "zero-gradient",
        ),
        nodes=(
            *(f"model.0{layer}{part}" for layer in ("", ".0", ".1", ".2", ".3") for part in ("", ": output", ".weight")),
            "model.1",
            "model.3",
            "model.3: output",
            "model: output",
        ),
    ),
)
