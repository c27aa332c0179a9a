"""Every sample of a batch is the same, since the index is not used."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import regression_table
from evaluation.program import Program, Setting, Truth


class Table(torch.utils.data.Dataset[tuple[Tensor, Tensor]]):
    def __init__(self, use_index: bool) -> None:
        self.inputs, self.targets = regression_table(1600)
        self.use_index = use_index
        self.row = 0

    def __len__(self) -> int:
        return len(self.inputs)

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        # Meant to be a cache of the last row that was read.
        if self.use_index or index % 32 == 0:
            self.row = index
        return self.inputs[self.row], self.targets[self.row]


def _train(setting: Setting) -> None:
    loader = torch.utils.data.DataLoader(Table(use_index=setting.is_fixed), batch_size=32)
    model = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for _ in range(16):
            for x, y in loader:
                loss = nn.functional.mse_loss(model(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


PROGRAM = Program(
    name="identical-samples",
    train=_train,
    source="TrainCheck, Stack Overflow 67180955",
    truth=Truth(rules=("constant-input", "repeated-batch"), nodes=("model: input",)),
)
