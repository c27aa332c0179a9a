"""BYOL: an online network predicts what a slow average of itself makes of another view. Nothing collapses."""

from __future__ import annotations

import copy

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches
from evaluation.program import Program, Setting


class Byol(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.online = nn.Sequential(nn.Linear(24, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 16))
        self.predictor = nn.Sequential(nn.Linear(16, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 16))
        self.target = copy.deepcopy(self.online).requires_grad_(False)

    def forward(self, view: Tensor, other: Tensor) -> tuple[Tensor, Tensor]:
        with torch.no_grad():
            wanted = self.target(other)
        return self.predictor(self.online(view)), wanted


def _train(setting: Setting) -> None:
    things = torch.randn(2000, 5) @ torch.randn(5, 24) / 2
    model = Byol()
    optimizer = torch.optim.Adam([*model.online.parameters(), *model.predictor.parameters()], lr=3e-3)
    with setting.watch(model):
        for (x,) in batches(200, 64, things):
            predicted, wanted = model(x + 0.3 * torch.randn_like(x), x + 0.3 * torch.randn_like(x))
            loss = 2 - 2 * F.cosine_similarity(predicted, wanted, dim=1).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            with torch.no_grad():
                for slow, fast in zip(model.target.parameters(), model.online.parameters(), strict=True):
                    slow.lerp_(fast, 0.02)
    with torch.no_grad():
        unit = F.normalize(model.online(things), dim=1)
    print(f"loss {loss.item():.3f}, similarity of different things {(unit @ unit.T).mean():.2f}")


PROGRAM = Program(name="slow-target-of-its-own", train=_train, source="Grill et al. 2020")
