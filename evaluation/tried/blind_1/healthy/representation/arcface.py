"""Angles to class centers with a margin, scaled by 16: the first losses are far above those of a plain classifier."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting


class ArcFace(nn.Module):
    def __init__(self, classes: int, scale: float = 16.0, margin: float = 0.3) -> None:
        super().__init__()
        self.embed = nn.Sequential(nn.Linear(20, 64), nn.PReLU(), nn.Linear(64, 16))
        self.centers = nn.Parameter(torch.randn(classes, 16))
        self.scale = scale
        self.margin = margin

    def forward(self, x: Tensor, labels: Tensor) -> Tensor:
        cosine = nn.functional.linear(nn.functional.normalize(self.embed(x)), nn.functional.normalize(self.centers))
        angle = torch.acos(cosine.clamp(-1 + 1e-6, 1 - 1e-6))
        is_right = nn.functional.one_hot(labels, len(self.centers)).bool()
        return self.scale * torch.where(is_right, torch.cos(angle + self.margin), cosine)


def _train(setting: Setting) -> None:
    people = torch.randn(30, 20)
    labels = torch.randint(0, 30, (2500,))
    faces = people[labels] + 0.5 * torch.randn(2500, 20)
    model = ArcFace(30)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4)
    with setting.watch(model):
        for x, y in batches(700, 64, faces, labels):
            loss = nn.functional.cross_entropy(model(x, y), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="arcface", train=_train, source="Deng et al. 2019", chose_thresholds=True)
