"""Rents are predicted from a table with coordinates in metres, in the millions, beside features of about 1."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth


def flats(count: int) -> tuple[Tensor, Tensor]:
    """Easting, northing, rooms, floor and age; and the rent, normalized."""
    east, north = 4000 * torch.randn(count), 5000 * torch.randn(count)
    rooms, floor, age = torch.randn(3, count)
    rent = torch.exp(-(east**2 + north**2) / 6000**2) * 2 + 0.6 * rooms - 0.3 * age * floor + 0.1 * torch.randn(count)
    table = torch.stack([392_000 + east, 5_820_000 + north, rooms, floor, age], dim=1)
    return table, ((rent - rent.mean()) / rent.std())[:, None]


def _train(setting: Setting) -> None:
    table, rent = flats(1600)
    if setting.is_fixed:
        table = (table - table.mean(dim=0)) / table.std(dim=0)
    net = nn.Sequential(nn.Linear(5, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    with setting.watch(net):
        for _ in range(6):
            for features, target in DataLoader(TensorDataset(table, rent), batch_size=40, shuffle=True):
                loss = nn.functional.mse_loss(net(features), target)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


PROGRAM = Program(
    name="coordinates-in-metres",
    train=_train,
    source="Humbatova et al. 2020, training data: missing normalization; TheDeepChecker, unnormalized inputs",
    truth=Truth(rules=("input-not-normalized",), nodes=("model: input", "model.0: input")),
)
