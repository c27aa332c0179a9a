"""The income in dollars and the age in years stand side by side, and the income decides every sum."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Credit(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(4, 32)
        self.second = nn.Linear(32, 1)

    def forward(self, person: Tensor) -> Tensor:
        return self.second(torch.relu(self.first(person)))


def _train(setting: Setting) -> None:
    income, age = 40_000 + 15_000 * torch.randn(1600), 20 + 50 * torch.rand(1600)
    children, debts = torch.randint(0, 5, (1600,)).float(), torch.rand(1600)
    persons = torch.stack([income, age, children, debts], dim=1)
    pays = ((income - 40_000) / 15_000 + (age - 45) / 14 - 3 * debts + 1.5 > 0).float()[:, None]
    if setting.is_fixed:
        persons = (persons - persons.mean(0)) / persons.std(0)
    model = _Credit()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for _ in range(10):
            for chosen in torch.randperm(1600).split(50):
                optimizer.zero_grad()
                loss = nn.functional.binary_cross_entropy_with_logits(model(persons[chosen]), pays[chosen])
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        print("loss", loss.item(), "accuracy", ((model(persons) > 0) == pays.bool()).float().mean().item())


PROGRAM = Program(
    name="income-beside-age",
    train=_train,
    source="Humbatova et al. 2020: missing feature scaling; StackOverflow, loss of thousands with raw tabular data",
    truth=Truth(
        rules=(
            "input-not-normalized",
            "initial-loss",
            "oscillating-loss",
            "logit-growth",
            "exploding-gradient",
            "updates-too-large",
            "predictions-ignore-input",
            "dead-relu",
            "runaway-growth",
            "gradient-spike",
        ),
        nodes=("model: input person", "model: input", "model.first: input", "model.first"),
    ),
)
