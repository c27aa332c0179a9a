"""Income in dollars, age in years and rates below one are columns of the same table, and none is standardized."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Credit(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.hidden1 = nn.Linear(5, 24)
        self.hidden2 = nn.Linear(24, 24)
        self.score = nn.Linear(24, 2)

    def forward(self, applicants: Tensor) -> Tensor:
        x = torch.relu(self.hidden1(applicants))
        x = torch.relu(self.hidden2(x))
        return self.score(x)


def _train(setting: Setting) -> None:
    raw = torch.randn(1500, 5)
    defaults = (raw[:, 1] - raw[:, 0] + raw[:, 3] * raw[:, 4] > 0).long()
    unit = torch.tensor([18_000.0, 0.04, 12.0, 0.1, 3.0])
    table = torch.tensor([60_000.0, 0.1, 44.0, 0.5, 6.0]) + unit * raw
    if setting.is_fixed:
        table = (table - table[:1200].mean(0)) / table[:1200].std(0)
    model = _Credit()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for _ in range(16):
            for rows in torch.randperm(1200).split(40):
                loss = nn.functional.cross_entropy(model(table[rows]), defaults[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        print("accuracy", (model(table[1200:]).argmax(1) == defaults[1200:]).float().mean().item())


PROGRAM = Program(
    name="columns-in-their-own-units",
    train=_train,
    source="Humbatova et al. 2020, preprocessing: missing normalization; Zhang et al. 2018",
    truth=Truth(
        rules=("input-not-normalized", "initial-loss", "oscillating-loss", "loss-does-not-fall", "exploding-gradient", "gradient-spike")
    ),
)
