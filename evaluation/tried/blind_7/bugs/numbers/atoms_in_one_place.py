"""Pairs of atoms are described by one over their distance. From step 65 on, two atoms of a molecule have the same coordinates."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth

ATOMS = 6
SINCE = 65


class Potential(nn.Module):
    """The energy of a molecule as a sum over its pairs of atoms."""

    def __init__(self, closest: float) -> None:
        super().__init__()
        self.closest = closest
        self.pair = nn.Sequential(nn.Linear(2, 48), nn.SiLU(), nn.Linear(48, 48), nn.SiLU(), nn.Linear(48, 1))
        self.first, self.second = torch.triu_indices(ATOMS, ATOMS, offset=1)

    def forward(self, places: Tensor) -> Tensor:
        distance = (places[:, self.first] - places[:, self.second]).norm(dim=-1).clamp(min=self.closest)
        features = torch.stack([1 / distance, torch.exp(-distance)], dim=-1)
        return self.pair(features).sum(dim=(1, 2)) / 5


def energy(places: Tensor) -> Tensor:
    i, j = torch.triu_indices(ATOMS, ATOMS, offset=1)
    distance = (places[:, i] - places[:, j]).norm(dim=-1)
    return (torch.exp(-distance) - 0.8 * torch.exp(-((distance - 1.5) ** 2))).sum(dim=1)


def _train(setting: Setting) -> None:
    model = Potential(0.3 if setting.is_fixed else 0.0)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for step in range(200):
            places = 2 * torch.rand(32, ATOMS, 3)
            if step >= SINCE:
                places[step % 32, 1] = places[step % 32, 4]
            loss = nn.functional.mse_loss(model(places), energy(places))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 50 == 0:
                print(step, loss.item())


PROGRAM = Program(
    name="atoms-in-one-place",
    train=_train,
    source="GitHub issues of SchNetPack and PyTorch Geometric: NaN for two atoms at the same place",
    truth=Truth(rules=("nan-origin",), nodes=("model.pair: input", "model.pair.0: input", "model.pair", "model.pair.0"), step=SINCE),
)
