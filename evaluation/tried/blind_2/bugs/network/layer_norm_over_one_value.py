"""A LayerNorm of size 1 behind the last layer: each value minus itself is 0, so every answer is the same."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    # Hourly demand of a week, from the hour and the day.
    hours = torch.arange(24 * 7 * 10)
    day, hour = (hours // 24) % 7, hours % 24
    angle = hour / 24 * 6.2832
    features = torch.cat([angle.sin()[:, None], angle.cos()[:, None], nn.functional.one_hot(day, 7).float()], dim=1)
    demand = (angle - 2).sin() * (1 - 0.6 * (day > 4).float()) + 0.1 * torch.randn(len(hours))
    demand = ((demand - demand.mean()) / demand.std()).unsqueeze(1)

    layers: list[nn.Module] = [
        nn.Linear(9, 48),
        nn.LayerNorm(48),
        nn.ReLU(),
        nn.Linear(48, 24),
        nn.LayerNorm(24),
        nn.ReLU(),
        nn.Linear(24, 1),
    ]
    if not setting.is_fixed:
        layers.append(nn.LayerNorm(1))
    model = nn.Sequential(*layers)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for epoch in range(5):
            total, count = 0.0, 0
            for x, y in batches(52, 32, features, demand):
                optimizer.zero_grad()
                loss = nn.functional.mse_loss(model(x), y)
                loss.backward()
                optimizer.step()
                total, count = total + loss.item(), count + 1
            print(f"epoch {epoch}: {total / count:.3f}")


PROGRAM = Program(
    name="layer-norm-over-one-value",
    train=_train,
    source="PyTorch forum, a normalization over a dimension of size 1 returns zeros",
    truth=Truth(
        rules=("same-for-all-samples", "zero-gradient", "predictions-ignore-input", "cut-path", "loss-does-not-fall", "vanishing-gradient"),
        nodes=("model.7: output", "model: output", "model.7", "model.6.weight", "model.6", "model.0.weight", "model.3.weight"),
    ),
)
