"""Two kinds of measurements of the same things are matched, with the logarithm of the temperature as a parameter."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class Matching(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.sound = nn.Sequential(nn.Linear(20, 64), nn.GELU(), nn.Linear(64, 16))
        self.sight = nn.Sequential(nn.Linear(12, 64), nn.GELU(), nn.Linear(64, 16))
        self.log_scale = nn.Parameter(torch.tensor(math.log(10.0)))

    def forward(self, sound: Tensor, sight: Tensor) -> Tensor:
        left = nn.functional.normalize(self.sound(sound), dim=1)
        right = nn.functional.normalize(self.sight(sight), dim=1)
        return self.log_scale.exp().clamp(max=100) * left @ right.T


def _train(setting: Setting) -> None:
    to_sound, to_sight = torch.randn(6, 20), torch.randn(6, 12)
    model = Matching()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for _ in range(220):
            things = torch.randn(40, 6)
            sound = (things @ to_sound / 2.4).tanh() + 0.1 * torch.randn(40, 20)
            sight = (things @ to_sight / 2.4).tanh() + 0.1 * torch.randn(40, 12)
            scores = model(sound, sight)
            own = torch.arange(40)
            loss = (nn.functional.cross_entropy(scores, own) + nn.functional.cross_entropy(scores.T, own)) / 2
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="temperature-that-learns", train=_train, source="Radford et al. 2021 (CLIP)")
