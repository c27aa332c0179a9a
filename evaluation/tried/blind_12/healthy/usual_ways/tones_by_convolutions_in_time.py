"""Pitches of noisy waves by convolutions in time, with group normalization and one cycle of the rate."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import tunes
from evaluation.program import Program, Setting


class Tones(nn.Module):
    def __init__(self, kinds: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv1d(1, 16, 7, stride=2, padding=3),
            nn.GroupNorm(4, 16),
            nn.SiLU(),
            nn.Conv1d(16, 32, 5, stride=2, padding=2),
            nn.GroupNorm(4, 32),
            nn.SiLU(),
        )
        self.head = nn.Linear(32, kinds)

    def forward(self, wave: Tensor) -> Tensor:
        return self.head(self.layers(wave[:, None]).amax(dim=2))


def _train(setting: Setting) -> None:
    waves, kinds = tunes(1200)
    model = Tones(4)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=8e-3, epochs=5, steps_per_epoch=24)
    with setting.watch(model):
        for epoch in range(5):
            for rows in torch.randperm(1200)[:1152].split(48):
                loss = nn.functional.cross_entropy(model(waves[rows]), kinds[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                scheduler.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(name="tones-by-convolutions-in-time", train=_train, source="Smith and Topin 2018, super-convergence")
