"""Each of ten layers has a gain of four instead of the square root of two, so values are thousands of times too large."""

from __future__ import annotations

import math

import torch
from torch import nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth

DEPTH = 10


def _train(setting: Setting) -> None:
    x, y = class_blobs(1600, 20, 4)
    gain = math.sqrt(2) if setting.is_fixed else 4.0
    layers: list[nn.Module] = []
    for i in range(DEPTH):
        linear = nn.Linear(20 if i == 0 else 48, 48)
        nn.init.normal_(linear.weight, std=gain / math.sqrt(linear.in_features))
        nn.init.zeros_(linear.bias)
        layers += [linear, nn.ReLU()]
    net = nn.Sequential(*layers, nn.Linear(48, 4))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    with setting.watch(net):
        for step, (some, label) in enumerate(batches(200, 64, x, y)):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(net(some), label)
            loss.backward()
            optimizer.step()
            if step % 50 == 49:
                print(f"step {step}: {loss.item():.3f}")


PROGRAM = Program(
    name="gain-of-four",
    train=_train,
    source="He et al. 2015; Schoenholz et al. 2017 on the variance from layer to layer",
    truth=Truth(
        rules=("growing-with-depth", "initial-loss", "exploding-gradient"),
        nodes=tuple(f"model.{i}{what}" for i in range(2 * DEPTH + 1) for what in ("", ": output")),
    ),
)
