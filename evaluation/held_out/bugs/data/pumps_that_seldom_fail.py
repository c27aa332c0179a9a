"""Readings of pumps are sorted into healthy ones and failures, of which the plant has seen very few."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth


def _readings(count: int, failing: float) -> tuple[torch.Tensor, torch.Tensor]:
    fails = (torch.rand(count) < failing).long()
    readings = torch.randn(count, 10)
    readings[:, :3] += 0.9 * fails[:, None]
    readings[:, 3] *= 1 + 0.8 * fails
    return readings, fails


def _train(setting: Setting) -> None:
    x, y = _readings(3000, 0.5 if setting.is_fixed else 0.006)
    model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(3):
            hits = 0
            for rows in torch.randperm(3000).split(50):
                output = model(x[rows])
                loss = nn.functional.cross_entropy(output, y[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                hits += int((output.argmax(dim=1) == y[rows]).sum())
            print(f"epoch {epoch}: loss {loss.item():.4f}, accuracy {hits / 3000:.3f}")


PROGRAM = Program(
    name="pumps-that-seldom-fail",
    train=_train,
    source="https://github.com/WenjieDu/PyPOTS/issues/163",
    truth=Truth(
        rules=("class-imbalance", "predictions-ignore-input", "constant-target"),
        nodes=("cross_entropy: target", "cross_entropy", "model: output", "model.4"),
    ),
)
