"""Denoising score matching at several levels of noise: targets are large where the noise is small, and so the loss is weighted."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting


class Score(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 2))

    def forward(self, x: Tensor, sigma: Tensor) -> Tensor:
        return self.body(torch.cat([x, sigma.log()], dim=1)) / sigma


def _train(setting: Setting) -> None:
    angle = 6.28 * torch.rand(3000)
    points = torch.stack([torch.cos(angle), torch.sin(2 * angle)], dim=1)
    model = Score()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for (x,) in batches(900, 128, points):
            sigma = torch.exp(torch.empty(len(x), 1).uniform_(-3.0, 0.5))
            noise = torch.randn_like(x)
            score = model(x + sigma * noise, sigma)
            loss = ((sigma * score + noise) ** 2).sum(dim=1).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="score-matching", train=_train, source="Song and Ermon 2019")
