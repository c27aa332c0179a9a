"""Names of districts have a blank behind them in the file, so none is found in the list, and all become 'unknown'."""

from __future__ import annotations

import random

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth

DISTRICTS = ["harbour", "old town", "hill", "station", "meadows", "mill", "airport", "lakeside"]
INDEX = {name: place for place, name in enumerate(DISTRICTS, start=1)}


class RentModel(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(len(DISTRICTS) + 1, 6)
        self.mlp = nn.Sequential(nn.Linear(6 + 4, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, district: Tensor, flat: Tensor) -> Tensor:
        return self.mlp(torch.cat([self.embed(district), flat], dim=1))


def _train(setting: Setting) -> None:
    generator = random.Random(setting.seed)
    rows = [generator.choice(DISTRICTS) + " " for _ in range(1200)]
    price = torch.randn(len(DISTRICTS) + 1)
    flats = torch.randn(1200, 4)
    rents = torch.stack([price[INDEX[row.strip()]] for row in rows]) + 0.5 * flats[:, 0] * flats[:, 1] + 0.1 * torch.randn(1200)
    rents = ((rents - rents.mean()) / rents.std())[:, None]
    if setting.is_fixed:
        rows = [row.strip() for row in rows]
    districts = torch.tensor([INDEX.get(row, 0) for row in rows])

    model = RentModel()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for step in range(180):
            batch = torch.randint(1200, (48,))
            loss = nn.functional.mse_loss(model(districts[batch], flats[batch]), rents[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 60 == 59:
                print(f"step {step}: {loss.item():.3f}")


PROGRAM = Program(
    name="categories-with-trailing-blanks",
    train=_train,
    source="Humbatova et al. 2020, preprocessing: wrong encoding of categories",
    truth=Truth(
        rules=("constant-input", "same-for-all-samples"),
        nodes=("model: input district", "model.embed", "model.embed: output", "model.embed.weight"),
    ),
)
