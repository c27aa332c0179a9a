"""A group normalization behind a linear layer has as many groups as channels. Each group is one number, and becomes zero."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import orchards


class Residual(nn.Module):
    def __init__(self, width: int, groups: int) -> None:
        super().__init__()
        self.linear1 = nn.Linear(width, width)
        self.norm = nn.GroupNorm(groups, width)
        self.linear2 = nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.linear2(nn.functional.silu(self.norm(self.linear1(x))))


def _train(setting: Setting) -> None:
    trees, harvest = orchards(2000)
    width = 48
    groups = 6 if setting.is_fixed else width
    model = nn.Sequential(nn.Linear(8, width), Residual(width, groups), Residual(width, groups), nn.Linear(width, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for step in range(150):
            rows = torch.randint(2000, (40,))
            loss = nn.functional.mse_loss(model(trees[rows]), harvest[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 30 == 29:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(
    name="as-many-groups-as-channels",
    train=_train,
    source="Common mistake: GroupNorm behind a linear layer with one channel per group",
    truth=Truth(
        rules=("same-for-all-samples", "zero-gradient", "branch-without-effect", "vanishing-gradient"),
        nodes=tuple(
            f"model.{n}{layer}{part}"
            for n in (1, 2)
            for layer in ("", ".linear1", ".norm", ".linear2")
            for part in ("", ".weight", ".bias", ": output", ": input")
        ),
    ),
)
