"""One in twenty patients is ill. The loss weighs them more, and most predictions are no."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    patients = torch.randn(6000, 15)
    risk = patients[:, 0] + patients[:, 1] + 0.5 * patients[:, 2] * patients[:, 3]
    is_ill = (risk + 0.3 * torch.randn(6000) > risk.quantile(0.95)).float()[:, None]
    model = nn.Sequential(nn.Linear(15, 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    criterion = nn.BCEWithLogitsLoss(pos_weight=torch.tensor([6.0]))
    with setting.watch(model):
        for x, y in batches(250, 128, patients, is_ill):
            loss = criterion(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        caught = (model(patients)[is_ill.bool()] > 0).float().mean()
    print(f"loss {loss.item():.3f}, found {caught:.2f} of the ill")


PROGRAM = Program(name="one-in-twenty-is-ill", train=_train, source="PyTorch documentation of pos_weight; studies of imbalanced data")
