"""A variational autoencoder with four categorical codes, drawn by the Gumbel softmax with a falling temperature."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting

CODES, LETTERS = 4, 6


class GumbelVae(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Flatten(), nn.Linear(144, 96), nn.ReLU(), nn.Linear(96, CODES * LETTERS))
        self.decoder = nn.Sequential(nn.Linear(CODES * LETTERS, 96), nn.ReLU(), nn.Linear(96, 144))
        self.temperature = 1.0

    def forward(self, image: Tensor) -> tuple[Tensor, Tensor]:
        logits = self.encoder(image).view(-1, CODES, LETTERS)
        code = F.gumbel_softmax(logits, tau=self.temperature)
        return self.decoder(code.flatten(1)), logits


def _train(setting: Setting) -> None:
    # Tiles in four places, each with one of six patterns.
    patterns = (torch.rand(LETTERS, 36) < 0.5).float()
    images = patterns[torch.randint(LETTERS, (1000, CODES))]
    vae = GumbelVae()
    optimizer = torch.optim.Adam(vae.parameters(), lr=4e-3)
    with setting.watch(vae):
        for step, (x,) in enumerate(batches(250, 40, images)):
            vae.temperature = max(0.5, 1 - step / 400)
            decoded, logits = vae(x)
            log_q = logits.log_softmax(dim=2)
            divergence = (log_q.exp() * (log_q + math.log(LETTERS))).sum(dim=(1, 2)).mean()
            likeness = F.binary_cross_entropy_with_logits(decoded, x.flatten(1), reduction="none").sum(dim=1).mean()
            optimizer.zero_grad()
            (likeness + divergence).backward()
            optimizer.step()


PROGRAM = Program(name="categorical-codes", train=_train, source="Jang et al. 2017")
