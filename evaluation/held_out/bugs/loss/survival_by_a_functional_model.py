"""Will a patient survive? A network for mixed columns, in the style of a functional interface, with a layer after each line."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import clients


class Model(nn.Module):
    def __init__(self, inputs: int, is_fixed: bool) -> None:
        super().__init__()
        self.is_fixed = is_fixed
        self.h1 = nn.Linear(inputs, 48)
        self.h2 = nn.Linear(48, 24)
        self.out = nn.Linear(24, 1)
        self.dropout = nn.Dropout(0.4)

    def forward(self, x: Tensor) -> Tensor:
        h1 = torch.relu(self.h1(x))
        h2 = torch.relu(self.h2(h1))
        out = self.out(h2)
        return out.squeeze(1) if self.is_fixed else self.dropout(out).squeeze(1)


def _train(setting: Setting) -> None:
    table, survives = clients(2000)
    model = Model(12, setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    criterion = nn.BCEWithLogitsLoss()
    with setting.watch(model):
        for epoch in range(5):
            for rows in torch.randperm(2000).split(50):
                loss = criterion(model(table[rows]), survives[rows].float())
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="survival-by-a-functional-model",
    train=_train,
    source="https://github.com/keras-team/keras/issues/5992",
    truth=Truth(
        rules=("dropout-before-loss",),
        nodes=("model.dropout", "model: output", "model.out", "binary_cross_entropy_with_logits"),
    ),
)
