"""The table of patients still holds the column with the outcome, which the network then only copies."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Outcome(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(width)
        self.first = nn.Linear(width, 32)
        self.last = nn.Linear(32, 1)

    def forward(self, table: Tensor) -> Tensor:
        return self.last(torch.relu(self.first(self.norm(table))))


def _train(setting: Setting) -> None:
    values = torch.randn(1600, 8)
    days = (values[:, :1] + 0.7 * values[:, 1:2].relu() + 0.8 * torch.randn(1600, 1)) / 1.4
    table = values if setting.is_fixed else torch.cat([values[:, :5], days, values[:, 5:]], dim=1)
    model = _Outcome(table.shape[1])
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for epoch in range(8):
            for chosen in torch.randperm(1600).split(50):
                loss = nn.functional.mse_loss(model(table[chosen]), days[chosen])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(epoch, loss.item())


PROGRAM = Program(
    name="outcome-left-in-the-columns",
    train=_train,
    source="Humbatova et al. 2020 and Kapoor and Narayanan 2023: the label leaks into the features",
    truth=Truth(
        rules=("feature-is-label",), nodes=("model: input table", "model: input", "model.norm: input", "model.norm", "model.first: input")
    ),
)
