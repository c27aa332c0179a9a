"""`self.act(x)` is called, and what it returns is not kept. Three layers are one."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import clients


class Churn(nn.Module):
    def __init__(self, in_place: bool) -> None:
        super().__init__()
        self.fc1 = nn.Linear(12, 64)
        self.fc2 = nn.Linear(64, 64)
        self.fc3 = nn.Linear(64, 2)
        self.act = nn.ReLU(inplace=in_place)

    def forward(self, x: Tensor) -> Tensor:
        x = self.fc1(x)
        self.act(x)
        x = self.fc2(x)
        self.act(x)
        return self.fc3(x)


def _train(setting: Setting) -> None:
    table, stays = clients(1600)
    # It was written with activations in place, which do not need to be kept.
    model = Churn(in_place=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(5):
            for rows in torch.randperm(1600).split(50):
                scores = model(table[rows])
                loss = nn.functional.cross_entropy(scores, stays[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            with torch.no_grad():
                right = (model(table).argmax(1) == stays).float().mean()
            print(f"epoch {epoch}: {loss.item():.3f}, {right.item():.2f}")


PROGRAM = Program(
    name="activated-and-thrown-away",
    train=_train,
    source="Stack Overflow, results of layers that are not assigned; Islam et al. 2019, API misuse",
    truth=Truth(
        rules=("linear-after-linear",),
        nodes=("model.fc1", "model.fc2", "model.fc3", "model.act", "model.act: output", "model.fc1: output", "model.fc2: output"),
    ),
)
