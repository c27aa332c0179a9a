"""Will an item be sold? The table of the shop has all columns, and the reader takes them from the first on."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting, Truth


def _auctions(count: int) -> torch.Tensor:
    features = torch.randn(count, 9)
    score = 0.9 * features[:, 0] - features[:, 1] * features[:, 2] + features[:, 3].abs() - 0.8 + 0.7 * torch.randn(count)
    is_sold = (score > 0).float()
    return torch.cat([features, is_sold[:, None]], dim=1)


def _train(setting: Setting) -> None:
    table = _auctions(2400)
    columns = 9 if setting.is_fixed else 10
    x, y = table[:, :columns], table[:, 9:]
    model = nn.Sequential(nn.Linear(columns, 48), nn.ReLU(), nn.Linear(48, 24), nn.ReLU(), nn.Linear(24, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    criterion = nn.BCEWithLogitsLoss()
    with setting.watch(model):
        for epoch in range(4):
            for rows in torch.randperm(2400).split(48):
                output = model(x[rows])
                loss = criterion(output, y[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            accuracy = ((output > 0) == (y[rows] > 0.5)).float().mean()
            print(f"epoch {epoch}: loss {loss.item():.4f}, accuracy {accuracy.item():.3f}")


PROGRAM = Program(
    name="auctions-and-their-outcome",
    train=_train,
    source="https://github.com/dotnet/machinelearning/issues/737",
    truth=Truth(
        rules=("feature-is-label",),
        nodes=(
            "model: input",
            "model.0: input",
            "binary_cross_entropy_with_logits: target",
            "binary_cross_entropy_with_logits",
        ),
    ),
)
