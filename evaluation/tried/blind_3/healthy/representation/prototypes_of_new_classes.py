"""Few-shot learning: each episode has classes of its own, and samples are compared with the mean of their class."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    mix = torch.randn(6, 16)
    encoder = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 16))
    optimizer = torch.optim.Adam(encoder.parameters(), lr=2e-3)
    with setting.watch(encoder):
        for _ in range(250):
            # Five classes differ in six hidden features, and all else is noise.
            hidden = torch.randn(5, 1, 6) + 0.3 * torch.randn(5, 10, 6)
            samples = torch.sin(hidden @ mix) + 0.3 * torch.randn(5, 10, 16)
            codes = encoder(samples)
            prototypes, queries = codes[:, :4].mean(dim=1), codes[:, 4:].flatten(0, 1)
            distances = torch.cdist(queries, prototypes).square()
            loss = nn.functional.cross_entropy(-distances, torch.arange(5).repeat_interleave(6))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="prototypes-of-new-classes", train=_train, source="Snell et al. 2017 (prototypical networks)")
