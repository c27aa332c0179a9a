"""Contrastive learning of sounds: two shifted and noisy views of each must find one another in the batch."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.worlds import tones


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv1d(1, 16, 7, stride=2, padding=3),
            nn.BatchNorm1d(16),
            nn.ReLU(),
            nn.Conv1d(16, 32, 7, stride=2, padding=3),
            nn.ReLU(),
            nn.Flatten(),
        )
        self.projector = nn.Sequential(nn.Linear(32 * 16, 64), nn.ReLU(), nn.Linear(64, 24))

    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.normalize(self.projector(self.backbone(x)), dim=1)


def augment(x: Tensor) -> Tensor:
    shift = int(torch.randint(-3, 4, (1,)))
    return x.roll(shift, dims=2) * (0.8 + 0.4 * torch.rand(len(x), 1, 1)) + 0.15 * torch.randn_like(x)


def info_nce(a: Tensor, b: Tensor, temperature: float = 0.2) -> Tensor:
    similarity = a @ b.T / temperature
    places = torch.arange(len(a))
    return 0.5 * (nn.functional.cross_entropy(similarity, places) + nn.functional.cross_entropy(similarity.T, places))


def _train(setting: Setting) -> None:
    sounds, _ = tones(1280)
    encoder = Encoder()
    optimizer = torch.optim.AdamW(encoder.parameters(), lr=2e-3, weight_decay=1e-4)
    with setting.watch(encoder):
        for epoch in range(6):
            total = 0.0
            for rows in torch.randperm(1280).split(64):
                loss = info_nce(encoder(augment(sounds[rows])), encoder(augment(sounds[rows])))
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                total += loss.item() / 20
            print(f"epoch {epoch}: {total:.4f}")


PROGRAM = Program(name="two-views-of-a-sound", train=_train, source="Chen et al. 2020, SimCLR")
