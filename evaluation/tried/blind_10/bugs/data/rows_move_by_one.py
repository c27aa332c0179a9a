"""The batch of step i begins with row i instead of row i times the size, so two batches share all rows but one."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import orchards


def make_model() -> nn.Module:
    return nn.Sequential(nn.Linear(8, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 1))


def _train(setting: Setting) -> None:
    trees, harvest = orchards(4096)
    other_trees, other_harvest = trees[3600:], harvest[3600:]
    size = 20
    stride = size if setting.is_fixed else 1
    model = make_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for i in range(180):
            x, y = trees[i * stride : i * stride + size], harvest[i * stride : i * stride + size]
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if i % 12 == 11:
                model.eval()
                with torch.no_grad():
                    test = nn.functional.mse_loss(model(other_trees), other_harvest)
                model.train()
                print(f"{i}: {loss.item():.3f}, test {test.item():.3f}")


PROGRAM = Program(
    name="rows-move-by-one",
    train=_train,
    source="Common mistake: batches sliced by hand with their number as their start",
    truth=Truth(rules=("overfitting", "repeated-batch", "batches-not-shuffled")),
)
