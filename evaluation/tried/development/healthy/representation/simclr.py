"""Contrastive learning: two noisy views of a sample are to be closer than the views of others."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import shapes


class _SimCLR(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(1, 12, 3, stride=2, padding=1),
            nn.BatchNorm2d(12),
            nn.ReLU(),
            nn.Conv2d(12, 24, 3, stride=2, padding=1),
            nn.BatchNorm2d(24),
            nn.ReLU(),
            nn.Flatten(),
        )
        self.projector = nn.Sequential(nn.Linear(24 * 9, 64), nn.ReLU(), nn.Linear(64, 16))

    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.normalize(self.projector(self.encoder(x)), dim=1)


def _augment(x: Tensor) -> Tensor:
    if torch.rand(()) < 0.5:
        x = x.flip(3)
    x = torch.roll(x, (int(torch.randint(-1, 2, ())), int(torch.randint(-1, 2, ()))), dims=(2, 3))
    return x * (0.8 + 0.4 * torch.rand(len(x), 1, 1, 1)) + 0.1 * torch.randn_like(x)


def _nt_xent(z: Tensor, temperature: float = 0.2) -> Tensor:
    similarity = z @ z.T / temperature
    similarity.fill_diagonal_(float("-inf"))
    partner = torch.arange(len(z)).roll(len(z) // 2)
    return nn.functional.cross_entropy(similarity, partner)


def _train(setting: Setting) -> None:
    pictures = shapes(2048, size=12, noise=0.15).images
    model = _SimCLR()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=1e-6)
    with setting.watch(model):
        for _ in range(600):
            x = pictures[torch.randint(2048, (32,))]
            loss = _nt_xent(model(torch.cat([_augment(x), _augment(x)])))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="simclr", train=_train, source="Chen et al. 2020")
