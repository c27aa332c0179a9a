"""Between the layers of a spiral classifier, the activations were forgotten: all of it is one linear map."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.worlds import spirals


class SpiralNet(nn.Module):
    def __init__(self, bend: nn.Module) -> None:
        super().__init__()
        self.first = nn.Linear(2, 48)
        self.second = nn.Linear(48, 48)
        self.third = nn.Linear(48, 3)
        self.bend = bend

    def forward(self, place: Tensor) -> Tensor:
        return self.third(self.bend(self.second(self.bend(self.first(place)))))


def _train(setting: Setting) -> None:
    places, arms = spirals(1500)
    net = SpiralNet(nn.Tanh() if setting.is_fixed else nn.Identity())
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    with setting.watch(net):
        for step, (place, arm) in enumerate(batches(300, 50, places, arms)):
            loss = nn.functional.cross_entropy(net(place), arm)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 60 == 59:
                print(f"step {step}: {loss.item():.3f}")


PROGRAM = Program(
    name="nothing-between-the-layers",
    train=_train,
    source="Humbatova et al. 2020, model: missing activation; DeepCrime, removal of activations",
    truth=Truth(
        rules=("linear-after-linear",),
        nodes=("model.first", "model.second", "model.third", *(f"model.{name}: output" for name in ("first", "second", "third"))),
    ),
)
