"""Few parts have a defect, and a defect counts more in the loss. Most are found in the end."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    is_bad = torch.rand(4000) < 0.08
    table = torch.randn(4000, 8)
    table[:, :2] += 1.8 * is_bad[:, None]
    table[:, 2] *= 1 + is_bad
    y = is_bad.float()[:, None]
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 1))
    criterion = nn.BCEWithLogitsLoss(pos_weight=torch.tensor([8.0]))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for epoch in range(4):
            for rows in torch.randperm(3600).split(90):
                loss = criterion(model(table[rows]), y[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            with torch.no_grad():
                seen = model(table[3600:]) > 0
            recall = seen[y[3600:] > 0].float().mean()
            print(f"epoch {epoch}: {loss.item():.4f}, recall {recall.item():.3f}")


PROGRAM = Program(name="defects-that-count-more", train=_train, source="PyTorch documentation, pos_weight of BCEWithLogitsLoss")
