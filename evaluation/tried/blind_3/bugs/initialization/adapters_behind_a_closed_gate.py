"""Adapters are added to a frozen network through a gate that is 0 and frozen as well, so nothing in them can learn."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.worlds import clients


class Adapted(nn.Module):
    """A frozen layer with a small layer beside it."""

    def __init__(self, layer: nn.Linear) -> None:
        super().__init__()
        self.layer = layer.requires_grad_(False)
        self.down, self.up = nn.Linear(layer.in_features, 6), nn.Linear(6, layer.out_features)
        self.gate = nn.Parameter(torch.zeros(1))

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x) + self.gate * self.up(self.down(x).tanh())


def _train(setting: Setting) -> None:
    table, stays = clients(1500)
    plain = nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 2))
    pretraining = torch.optim.Adam(plain.parameters(), lr=3e-3)
    for x, y in batches(120, 40, table, stays):
        pretraining.zero_grad()
        nn.functional.cross_entropy(plain(x), y).backward()
        pretraining.step()

    net = nn.Sequential(*(Adapted(layer) if isinstance(layer, nn.Linear) else layer for layer in plain))
    for name, parameter in net.named_parameters():
        if "gate" in name and not setting.is_fixed:
            parameter.requires_grad = False
    optimizer = torch.optim.Adam((parameter for parameter in net.parameters() if parameter.requires_grad), lr=5e-3)
    # In another town, other clients stay.
    moved = table.roll(1, dims=1)
    with setting.watch(net):
        for x, y in batches(250, 40, moved, stays):
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(x), y).backward()
            optimizer.step()


PROGRAM = Program(
    name="adapters-behind-a-closed-gate",
    train=_train,
    source="Bachlechner et al. 2021 (ReZero); issues about gates that were frozen with the rest",
    truth=Truth(
        rules=("zero-gradient", "branch-without-effect", "never-updated", "no-gradient", "loss-does-not-fall"),
        nodes=tuple(
            f"model.{i}{name}"
            for i in (0, 2, 4)
            for name in (
                "",
                ".gate",
                ": output",
                *(f".{part}{kind}" for part in ("up", "down") for kind in ("", ".weight", ".bias", ": output")),
            )
        ),
    ),
)
