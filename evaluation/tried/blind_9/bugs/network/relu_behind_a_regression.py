"""The last layer of a regression is followed by a ReLU, and most targets are below zero."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import molecules


class Energy(nn.Module):
    def __init__(self, last: nn.Module) -> None:
        super().__init__()
        self.message1, self.message2 = nn.Linear(4, 24), nn.Linear(24, 24)
        self.self1, self.self2 = nn.Linear(4, 24), nn.Linear(24, 24)
        self.readout = nn.Linear(24, 1)
        self.last = last

    def forward(self, atoms: Tensor, bonds: Tensor) -> Tensor:
        atoms = torch.relu(self.self1(atoms) + bonds @ self.message1(atoms))
        atoms = torch.relu(self.self2(atoms) + bonds @ self.message2(atoms))
        return self.last(self.readout(atoms.mean(dim=1)))


def _train(setting: Setting) -> None:
    atoms, bonds, energy = molecules(1200)
    model = Energy(nn.Identity() if setting.is_fixed else nn.ReLU())
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for step in range(200):
            rows = torch.randint(1200, (40,))
            loss = nn.functional.l1_loss(model(atoms[rows], bonds[rows]), energy[rows] - 1.5)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 50 == 49:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(
    name="relu-behind-a-regression",
    train=_train,
    source="Stack Overflow, a regression that predicts 0 for everything; Humbatova et al. 2020, wrong activation of the last layer",
    truth=Truth(
        rules=("target-out-of-range", "dead-relu", "zero-gradient", "predictions-ignore-input", "same-for-all-samples"),
        nodes=("model.last", "model.last: output", "model.readout", "l1_loss", "l1_loss: target"),
    ),
)
