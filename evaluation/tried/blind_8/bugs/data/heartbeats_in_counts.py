"""A cardiogram is read as the counts of its converter, from 0 to 4095, and nothing brings them to unit size."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import heartbeats


def _train(setting: Setting) -> None:
    volts, kinds = heartbeats(1200)
    counts = (volts + 2.0) * 900
    net = nn.Sequential(
        nn.Conv1d(1, 16, 5), nn.ReLU(), nn.MaxPool1d(2), nn.Conv1d(16, 16, 5), nn.ReLU(), nn.Flatten(), nn.Linear(16 * 18, 3)
    )
    if setting.is_fixed:
        counts = (counts - counts.mean()) / counts.std()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9)
    with setting.watch(net):
        for step, (x, y) in enumerate(batches(240, 32, counts, kinds)):
            scores = net(x)
            loss = nn.functional.cross_entropy(scores, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 60 == 59:
                print(f"step {step}: {(scores.argmax(1) == y).float().mean():.2f}")


PROGRAM = Program(
    name="heartbeats-in-counts",
    train=_train,
    source="Humbatova et al. 2020, preprocessing: missing normalization",
    truth=Truth(rules=("input-not-normalized",), nodes=("model: input",)),
)
