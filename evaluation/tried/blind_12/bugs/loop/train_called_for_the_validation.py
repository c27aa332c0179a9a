"""The validation calls `train()`: dropout stays on, and the validation data change the running statistics."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import regression_table
from evaluation.program import Program, Setting, Truth


class Fusion(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.left = nn.Sequential(nn.Linear(6, 32), nn.BatchNorm1d(32), nn.ReLU())
        self.right = nn.Sequential(nn.Linear(6, 32), nn.BatchNorm1d(32), nn.ReLU())
        self.head = nn.Sequential(nn.Dropout(0.2), nn.Linear(64, 1))

    def forward(self, left: Tensor, right: Tensor) -> Tensor:
        return self.head(torch.cat([self.left(left), self.right(right)], dim=1))


def _train(setting: Setting) -> None:
    x, y = regression_table(1500, features=12)
    model = Fusion()
    op = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for epoch in range(5):
            model.train()
            for rows in torch.randperm(1200).split(40):
                op.zero_grad()
                loss = nn.functional.smooth_l1_loss(model(x[rows, :6], x[rows, 6:]), y[rows])
                loss.backward()
                op.step()
            if setting.is_fixed:
                model.eval()
            else:
                model.train()
            with torch.no_grad():
                valloss = sum(
                    nn.functional.smooth_l1_loss(model(a[:, :6], a[:, 6:]), b).item()
                    for a, b in zip(x[1200:].split(60), y[1200:].split(60), strict=True)
                )
            print(f"Epoch {epoch} train loss: {loss.item():.4f} valid loss: {valloss / 5:.4f}")


PROGRAM = Program(
    name="train-called-for-the-validation",
    train=_train,
    source="https://github.com/pliang279/MultiBench/issues/26",
    truth=Truth(rules=("evaluation-in-training-mode", "evaluation-changes-buffers"), nodes=("model.left", "model.right", "model.head")),
)
