"""Labels are -1 and 1, as for a hinge loss, but the loss is a cross-entropy that expects 0 and 1: it falls below 0 without end."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


def _train(setting: Setting) -> None:
    # Is one of two interleaved half moons meant? With twelve features that say nothing.
    upper = torch.rand(1600) < 0.5
    t = torch.rand(1600) * 3.1416
    x = torch.where(upper, t.cos(), 1 - t.cos())
    y = torch.where(upper, t.sin(), 0.5 - t.sin())
    features = torch.cat([torch.stack([x, y], dim=1) + 0.15 * torch.randn(1600, 2), 0.5 * torch.randn(1600, 12)], dim=1)
    labels = torch.where(upper, 1.0, -1.0)
    if setting.is_fixed:
        labels = (labels + 1) / 2
    model = nn.Sequential(nn.Linear(14, 48), nn.ReLU(), nn.Dropout(0.1), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    criterion = nn.BCEWithLogitsLoss()
    with setting.watch(model):
        for epoch in range(7):
            model.train()
            for inputs, targets in batches(42, 32, features[:1350], labels[:1350]):
                optimizer.zero_grad()
                loss = criterion(model(inputs).squeeze(1), targets)
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                right = ((model(features[1350:]).squeeze(1) > 0) == upper[1350:]).float().mean()
            print(f"epoch {epoch}: loss {loss:.3f}, validation accuracy {right:.3f}")


PROGRAM = Program(
    name="hinge-labels-in-cross-entropy",
    train=_train,
    source="PyTorch forum, negative BCE loss with labels -1 and 1",
    truth=Truth(
        rules=("negative-loss", "target-out-of-range", "runaway-growth", "logit-growth"), nodes=("model.5: output", "model: output")
    ),
)
