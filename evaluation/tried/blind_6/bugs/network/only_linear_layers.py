"""Somebody forgot the activations: five linear layers compute what a single one does."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Energy(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(2, 48)
        self.second = nn.Linear(48, 48)
        self.third = nn.Linear(48, 1)

    def forward(self, place: Tensor) -> Tensor:
        return self.third(self.second(self.first(place)))


class EnergyWithTanh(Energy):
    def forward(self, place: Tensor) -> Tensor:
        return self.third(torch.tanh(self.second(torch.tanh(self.first(place)))))


def _train(setting: Setting) -> None:
    places = torch.rand(3000, 2) * 4 - 2
    energy = torch.cos(2 * places[:, :1]) * torch.cos(1.5 * places[:, 1:]) * 1.5
    model = EnergyWithTanh() if setting.is_fixed else Energy()
    optimizer = torch.optim.Adam(model.parameters(), lr=6e-3)
    with setting.watch(model):
        for x, y in batches(300, 128, places, energy):
            loss = F.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"explained {1 - F.mse_loss(model(places), energy) / energy.var():.2f}")


PROGRAM = Program(
    name="only-linear-layers",
    train=_train,
    source="Humbatova et al. 2020, missing activation; StackOverflow, network that only draws a plane",
    truth=Truth(rules=("linear-after-linear",), nodes=("model.first", "model.second", "model.third")),
)
