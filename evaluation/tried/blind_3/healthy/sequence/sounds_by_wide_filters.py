"""Raw sound is classified by a residual network in one dimension, with instance normalization."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting
from evaluation.worlds import tones


class Block(nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.main = nn.Sequential(
            nn.Conv1d(inputs, outputs, 5, stride=2, padding=2),
            nn.InstanceNorm1d(outputs, affine=True),
            nn.ReLU(),
            nn.Conv1d(outputs, outputs, 3, padding=1),
        )
        self.short = nn.Conv1d(inputs, outputs, 1, stride=2)

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(self.main(x) + self.short(x))


def _train(setting: Setting) -> None:
    waves, slopes = tones(1000)
    model = nn.Sequential(
        nn.Conv1d(1, 12, 9, padding=4), nn.ReLU(), Block(12, 16), Block(16, 24), nn.AdaptiveMaxPool1d(2), nn.Flatten(), nn.Linear(48, 4)
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=1.5e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=180)
    with setting.watch(model):
        for x, y in batches(180, 32, waves, slopes):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
            scheduler.step()


PROGRAM = Program(name="sounds-by-wide-filters", train=_train, source="Dai et al. 2017 (very deep networks for raw waveforms)")
