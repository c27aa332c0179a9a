"""Predicts a grade from 0 to 4 as four questions: is it above 0, above 1, and so on."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class _Ordinal(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(12, 48), nn.LayerNorm(48), nn.ReLU(), nn.Linear(48, 24), nn.ReLU())
        self.score = nn.Linear(24, 1, bias=False)
        self.thresholds = nn.Parameter(torch.zeros(4))

    def forward(self, x: Tensor) -> Tensor:
        return self.score(self.body(x)) + self.thresholds


def _train(setting: Setting) -> None:
    x = torch.randn(3000, 12)
    latent = x[:, :4].sum(1) + x[:, 4] * x[:, 5] + 0.3 * torch.randn(3000)
    grades = torch.bucketize(latent, torch.tensor([-2.5, -0.8, 0.8, 2.5]))
    levels = (grades[:, None] > torch.arange(4)).float()
    model = _Ordinal()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for _ in range(14):
            for index in torch.randperm(3000).split(50):
                loss = nn.functional.binary_cross_entropy_with_logits(model(x[index]), levels[index])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


PROGRAM = Program(name="ordinal-regression", train=_train, source="Cao et al. 2020 (CORAL)")
