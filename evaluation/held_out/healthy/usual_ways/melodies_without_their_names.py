"""Melodies are told from each other without labels: two noisy views of a melody belong together."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import tunes
from evaluation.program import Program, Setting


class MelodyNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(40, 96), nn.BatchNorm1d(96), nn.ReLU(), nn.Linear(96, 48), nn.ReLU())
        self.projector = nn.Sequential(nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 24))

    def forward(self, wave: Tensor) -> Tensor:
        return nn.functional.normalize(self.projector(self.encoder(wave)), dim=1)


def _view(waves: Tensor) -> Tensor:
    louder = 0.8 + 0.4 * torch.rand(len(waves), 1)
    return louder * waves + 0.2 * torch.randn_like(waves)


def _train(setting: Setting) -> None:
    waves, _ = tunes(1500)
    model = MelodyNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(6):
            for rows in torch.randperm(1500).split(75):
                both = model(torch.cat([_view(waves[rows]), _view(waves[rows])]))
                similarity = both @ both.T / 0.2
                similarity = similarity.masked_fill(torch.eye(150, dtype=torch.bool), -1e4)
                partner = torch.arange(150).roll(75)
                loss = nn.functional.cross_entropy(similarity, partner)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(name="melodies-without-their-names", train=_train, source="Chen et al. 2020, SimCLR")
