"""`normal_(weight, 0, fan_in / 2)` where the root of `2 / fan_in` was meant."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.worlds import tones


def _train(setting: Setting) -> None:
    waves, slopes = tones(900)
    net = nn.Sequential(
        nn.Conv1d(1, 12, 7, stride=2),
        nn.ReLU(),
        nn.Conv1d(12, 16, 5, stride=2),
        nn.ReLU(),
        nn.Conv1d(16, 16, 3, stride=2),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(96, 4),
    )
    for layer in net:
        if isinstance(layer, nn.Conv1d):
            fan_in = layer.in_channels * layer.kernel_size[0]
            nn.init.normal_(layer.weight, 0, (2 / fan_in) ** 0.5 if setting.is_fixed else fan_in / 2)
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    with setting.watch(net):
        for x, y in batches(200, 32, waves, slopes):
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(x), y).backward()
            optimizer.step()


PROGRAM = Program(
    name="deviation-without-a-root",
    train=_train,
    source="Humbatova et al. 2020 (wrong weights initialization); questions about He's formula",
    truth=Truth(
        rules=("growing-with-depth", "initial-loss", "updates-too-small", "logit-growth", "exploding-gradient", "vanishing-gradient"),
        nodes=("model: output", *(f"model.{i}{name}" for i in (0, 1, 2, 3, 4, 5, 6, 7) for name in ("", ".weight", ": output"))),
    ),
)
