"""Three of a hundred payments are fraud; the loss weighs them by 10."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting


def make_payments(count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Payments `[N, 14]`, and which are fraud `[N]`."""
    x = torch.randn(count, 14)
    score = 1.4 * x[:, 0] + x[:, 1] * x[:, 2] + 0.8 * x[:, 3].abs() + 0.3 * torch.randn(count)
    return x, (score > score.quantile(0.97)).float()


def _train(setting: Setting) -> None:
    x, fraud = make_payments(6000)
    train = TensorDataset(x[:4800], fraud[:4800])
    model = nn.Sequential(nn.Linear(14, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=1e-2)
    criterion = nn.BCEWithLogitsLoss(pos_weight=torch.tensor([10.0]))
    with setting.watch(model):
        for epoch in range(7):
            model.train()
            for inputs, labels in DataLoader(train, batch_size=96, shuffle=True):
                optimizer.zero_grad()
                loss = criterion(model(inputs).squeeze(1), labels)
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                flagged = model(x[4800:]).squeeze(1) > 0
                hits = (flagged & (fraud[4800:] == 1)).sum().item()
            print(f"epoch {epoch}: {hits} of {int(fraud[4800:].sum())} found, {int(flagged.sum())} flagged")


PROGRAM = Program(name="rare-fraud", train=_train, source="imbalanced classes with pos_weight")
