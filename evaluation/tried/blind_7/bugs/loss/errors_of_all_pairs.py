"""`prediction - target` with shapes `[64, 1]` and `[64]` is a matrix of all pairs."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset

from evaluation.datasets import regression_table
from evaluation.program import Program, Setting, Truth


class Houses(Dataset[tuple[Tensor, Tensor]]):
    def __init__(self, keep_column: bool) -> None:
        self.features, price = regression_table(1280, 12)
        self.price = price if keep_column else price.squeeze(1)

    def __len__(self) -> int:
        return len(self.features)

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        return self.features[index], self.price[index]


def squared_error(prediction: Tensor, target: Tensor) -> Tensor:
    difference = prediction - target
    return (difference**2).mean()


def _train(setting: Setting) -> None:
    loader = DataLoader(Houses(setting.is_fixed), batch_size=64, shuffle=True)
    regressor = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(regressor.parameters(), lr=3e-3)
    with setting.watch(regressor):
        for epoch in range(10):
            total = 0.0
            for features, price in loader:
                optimizer.zero_grad()
                loss = squared_error(regressor(features), price)
                loss.backward()
                optimizer.step()
                total += loss.item()
            print(f"epoch {epoch:2d} mse {total / len(loader):.4f}")


PROGRAM = Program(
    name="errors-of-all-pairs",
    train=_train,
    source="PyTorch forum, the loss does not fall because [N, 1] and [N] are broadcast",
    truth=Truth(
        rules=("broadcast-in-loss",),
        nodes=("sub", "pow", "mean", "model: output", "model.4: output"),
    ),
)
