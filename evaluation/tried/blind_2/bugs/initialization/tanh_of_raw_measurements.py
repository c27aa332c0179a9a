"""Raw measurements in the hundreds go into a network of tanh units, and nearly all of them are saturated."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    # Pressure in hPa, temperature in K, humidity in percent, height in m, and the hour.
    weather = torch.stack(
        [
            1013 + 12 * torch.randn(1800),
            288 + 8 * torch.randn(1800),
            (60 + 20 * torch.randn(1800)).clamp(0, 100),
            400 * torch.rand(1800),
            24 * torch.rand(1800),
        ],
        dim=1,
    )
    z = (weather - weather.mean(dim=0)) / weather.std(dim=0)
    rain = (z[:, 2] - 0.8 * z[:, 0] + 0.5 * z[:, 1] * z[:, 4] + 0.3 * torch.randn(1800) > 0.4).long()
    x = z if setting.is_fixed else weather
    model = nn.Sequential(nn.Linear(5, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for epoch in range(6):
            total = 0.0
            for inputs, labels in batches(56, 32, x, rain):
                loss = nn.functional.cross_entropy(model(inputs), labels)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                total += loss.item() / 56
            print(f"epoch {epoch}: {total:.3f}")


PROGRAM = Program(
    name="tanh-of-raw-measurements",
    train=_train,
    source="UMLAUT (inputs not normalized), LeCun et al. 1998 (efficient backprop)",
    truth=Truth(
        rules=("input-not-normalized", "saturated-units", "same-for-all-samples"),
        nodes=("model: input", "model.0: input", "model.1: output", "model.0: output", "model.1", "model.0"),
    ),
)
