"""A sensor was off for a while. In step 29 the table has a cell without a number, which is read as NaN."""

from __future__ import annotations

import io

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


def write_table(rows: int) -> str:
    """Comma-separated lines: four readings, and the power that was used."""
    readings = torch.randn(rows, 4)
    power = readings[:, 0] * readings[:, 1] + readings[:, 2].abs() + 0.1 * torch.randn(rows)
    lines = [[f"{cell:.4f}" for cell in line] for line in torch.cat([readings, power[:, None]], dim=1).tolist()]
    lines[29 * 30 + 17][2] = ""
    return "\n".join(",".join(line) for line in lines)


def read_table(text: str) -> Tensor:
    return torch.tensor([[float(cell or "nan") for cell in line.strip().split(",")] for line in io.StringIO(text)])


class Power(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(4, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU(), nn.Linear(40, 1))

    def forward(self, readings: Tensor) -> Tensor:
        return self.mlp(readings).squeeze(1)


def _train(setting: Setting) -> None:
    table = read_table(write_table(2400))
    if setting.is_fixed:
        table = torch.where(table.isnan(), table.nanmean(dim=0), table)
    model = Power()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for step, batch in enumerate(table.split(30)):
            loss = nn.functional.huber_loss(model(batch[:, :4]), batch[:, 4])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 20 == 19:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(
    name="gap-in-the-sensor-table",
    train=_train,
    source="Stack Overflow, missing values in the data make the loss NaN; Humbatova et al. 2020, preprocessing",
    truth=Truth(rules=("nan-origin",), nodes=("model: input readings",), step=29),
)
