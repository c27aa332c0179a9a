"""Two noisy views of a sample are to have the same features, and different features are to be uncorrelated."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting


class Twins(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(24, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 32))
        self.projector = nn.Sequential(
            nn.Linear(32, 48), nn.BatchNorm1d(48), nn.ReLU(), nn.Linear(48, 48), nn.BatchNorm1d(48, affine=False)
        )

    def forward(self, left: Tensor, right: Tensor) -> Tensor:
        return self.projector(self.encoder(left)).T @ self.projector(self.encoder(right)) / len(left)


def _train(setting: Setting) -> None:
    samples = torch.tanh(torch.randn(2000, 8) @ torch.randn(8, 24))
    model = Twins()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, weight_decay=1e-5)
    with setting.watch(model):
        for (x,) in batches(500, 128, samples):
            correlation = model(x + 0.2 * torch.randn_like(x), x * (torch.rand_like(x) > 0.2))
            diagonal = correlation.diagonal()
            others = correlation.pow(2).sum() - diagonal.pow(2).sum()
            loss = (diagonal - 1).pow(2).sum() + 0.05 * others
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 10.0)
            optimizer.step()


PROGRAM = Program(name="barlow-twins", train=_train, source="Zbontar et al. 2021")
