"""One column of a table is the year of planting, about 2000, and all the others are of unit size."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import orchards


class Yield(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.hidden1 = nn.Linear(9, 48)
        self.hidden2 = nn.Linear(48, 48)
        self.out = nn.Linear(48, 1)

    def forward(self, trees: torch.Tensor) -> torch.Tensor:
        h = torch.relu(self.hidden1(trees))
        return self.out(torch.relu(self.hidden2(h)))


def _train(setting: Setting) -> None:
    measured, yields = orchards(1600)
    planted = torch.randint(1985, 2020, (1600, 1)).float()
    if setting.is_fixed:
        planted = (planted - 2002) / 10
    loader = DataLoader(TensorDataset(torch.cat([measured, planted], dim=1), yields), batch_size=64, shuffle=True)
    model = Yield()
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(12):
            total = 0.0
            for trees, wanted in loader:
                opt.zero_grad()
                loss = nn.functional.mse_loss(model(trees), wanted)
                loss.backward()
                opt.step()
                total += loss.item()
            print(f"epoch {epoch}: {total / len(loader):.3f}")


PROGRAM = Program(
    name="year-beside-shares",
    train=_train,
    source="Stack Overflow, network does not learn until a column is scaled; scikit-learn guide on preprocessing",
    truth=Truth(rules=("input-not-normalized",), nodes=("model: input trees",)),
)
