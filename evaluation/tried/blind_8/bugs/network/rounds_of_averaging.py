"""Forty rounds of averaging over neighbours, with nothing of the own features: all cells look the same in the end."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth

CELLS = 9


class MeshNet(nn.Module):
    def __init__(self, rounds: int) -> None:
        super().__init__()
        self.rounds = rounds
        self.lift = nn.Linear(5, 32)
        self.mix = nn.Linear(32, 32)
        self.out = nn.Linear(32, 1)

    def forward(self, cells: Tensor, spread: Tensor) -> Tensor:
        h = torch.relu(self.lift(cells))
        for _ in range(self.rounds):
            h = spread @ h
        return self.out(torch.relu(self.mix(h))).squeeze(2)


def _train(setting: Setting) -> None:
    ring = torch.eye(CELLS)
    spread = (ring + ring.roll(1, 0) + ring.roll(-1, 0)) / 3
    weights = torch.randn(5)
    net = MeshNet(1 if setting.is_fixed else 40)
    optimizer = torch.optim.Adam(net.parameters(), lr=4e-3)
    with setting.watch(net):
        for step in range(250):
            cells = torch.randn(32, CELLS, 5)
            heat = torch.einsum("vw,nw->nv", spread, (cells @ weights).tanh())
            loss = nn.functional.mse_loss(net(cells, spread), heat)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 50 == 49:
                print(f"step {step}: {loss.item():.4f}")


PROGRAM = Program(
    name="rounds-of-averaging",
    train=_train,
    source="Li et al. 2018 and Oono and Suzuki 2020 on over-smoothing",
    truth=Truth(
        rules=("same-for-all-tokens",),
        nodes=("model.mix: input", "model.mix", "model.mix: output", "model.out: input", "model.out: output", "model.out", "model: output"),
    ),
)
