"""The model is made again after the optimizer, with more hidden units: Adam goes on with the weights of the old one."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import orchards


class Perceptron(nn.Module):
    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.inner = nn.Linear(8, hidden)
        self.middle = nn.Linear(hidden, hidden)
        self.outer = nn.Linear(hidden, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.outer(torch.relu(self.middle(torch.relu(self.inner(x)))))


def _train(setting: Setting) -> None:
    trees, harvest = orchards(1500)
    model = Perceptron(16)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    model = Perceptron(64)
    if setting.is_fixed:
        optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    criterion = nn.MSELoss()
    with setting.watch(model):
        for epoch in range(6):
            for rows in torch.randperm(1500).split(50):
                model.zero_grad()
                loss = criterion(model(trees[rows]), harvest[rows])
                loss.backward()
                optimizer.step()
            with torch.no_grad():
                print(f"epoch {epoch}: loss {criterion(model(trees), harvest).item():.4f}")


PROGRAM = Program(
    name="optimizer-of-the-first-model",
    train=_train,
    source="PyTorch forum, 'weights are not updating': the optimizer was made before the model was created again or replaced",
    truth=Truth(rules=("not-in-optimizer", "never-updated", "optimizer-never-steps")),
)
