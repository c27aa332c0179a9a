"""A table has one empty cell, which is read as NaN."""

from __future__ import annotations

import csv
import io
import math

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth

ROWS, BATCH, EMPTY = 2000, 16, 1301


def write_table() -> str:
    x = torch.randn(ROWS, 5)
    y = (x[:, 0] * x[:, 1] + x[:, 2] > 0).long()
    lines = [",".join([*(f"{value:.4f}" for value in row), str(label)]) for row, label in zip(x.tolist(), y.tolist(), strict=True)]
    cells = lines[EMPTY].split(",")
    cells[3] = ""
    lines[EMPTY] = ",".join(cells)
    return "\n".join(lines)


def read_table(text: str) -> tuple[Tensor, Tensor]:
    rows = [[float(cell) if cell else math.nan for cell in row] for row in csv.reader(io.StringIO(text))]
    table = torch.tensor(rows)
    return table[:, :-1], table[:, -1].long()


def _train(setting: Setting) -> None:
    x, y = read_table(write_table())
    if setting.is_fixed:
        x = torch.nan_to_num(x, nan=0.0)
    model = nn.Sequential(nn.Linear(5, 40), nn.ELU(), nn.Linear(40, 40), nn.ELU(), nn.Linear(40, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for inputs, labels in DataLoader(TensorDataset(x, y), batch_size=BATCH):
            loss = nn.functional.cross_entropy(model(inputs), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="missing-cell-in-a-table",
    train=_train,
    source="Stack Overflow, loss is nan because of missing values in a CSV file",
    truth=Truth(rules=("nan-origin",), nodes=("model: input", "model.0: input", "model.0: output"), step=EMPTY // BATCH),
)
