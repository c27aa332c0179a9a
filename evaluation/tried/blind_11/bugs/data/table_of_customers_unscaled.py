"""Age, income in dollars and months as a customer, none of them scaled: the network gives everybody the same answer."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


def customers(count: int) -> tuple[Tensor, Tensor]:
    age = 18 + 60 * torch.rand(count)
    income = 20_000 + 90_000 * torch.rand(count)
    months = torch.randint(1, 120, (count,)).float()
    score = (age - 48) / 17 - (months - 60) / 34 + 0.6 * (income - 65_000) / 26_000
    return torch.stack([age, income, months], dim=1), (score > 0).float()[:, None]


class Churn(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.hidden1 = nn.Linear(3, 16)
        self.hidden2 = nn.Linear(16, 16)
        self.out = nn.Linear(16, 1)

    def forward(self, table: Tensor) -> Tensor:
        x = torch.sigmoid(self.hidden1(table))
        x = torch.sigmoid(self.hidden2(x))
        return self.out(x)


def _train(setting: Setting) -> None:
    table, left = customers(1500)
    if setting.is_fixed:
        table = (table - table.mean(dim=0)) / table.std(dim=0)
    model = Churn()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    criterion = nn.BCEWithLogitsLoss()
    with setting.watch(model):
        for epoch in range(6):
            model.train()
            for rows in torch.randperm(1500).split(50):
                logits = model(table[rows])
                loss = criterion(logits, left[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            with torch.no_grad():
                says_yes = model(table) > 0
            accuracy = (says_yes == left.bool()).float().mean().item()
            print(f"Epoch {epoch}: {loss.item():.4f}, accuracy {accuracy:.3f}, says yes to {says_yes.float().mean().item():.2f}")


PROGRAM = Program(
    name="table-of-customers-unscaled",
    train=_train,
    source="Stack Overflow, 'neural network always predicts the same class' for a table whose columns were not scaled",
    truth=Truth(rules=("input-not-normalized", "saturated-units"), nodes=("model: input table", "model.hidden1: output")),
)
