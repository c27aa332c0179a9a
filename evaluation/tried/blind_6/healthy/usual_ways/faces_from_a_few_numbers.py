"""A variational autoencoder whose divergence counts more and more during the first steps."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches
from evaluation.program import Program, Setting


class Variational(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 16))
        self.decoder = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 64))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        mean, logvar = self.encoder(x).chunk(2, dim=1)
        return self.decoder(mean + (0.5 * logvar).exp() * torch.randn_like(mean)), mean, logvar


def _train(setting: Setting) -> None:
    faces = torch.sigmoid(2 * torch.randn(2500, 6) @ torch.randn(6, 64) / 6**0.5)
    is_dark = (faces > 0.5).float()
    model = Variational()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for step, (x,) in enumerate(batches(250, 64, is_dark)):
            logits, mean, logvar = model(x)
            reconstruction = F.binary_cross_entropy_with_logits(logits, x, reduction="none").sum(dim=1).mean()
            divergence = -0.5 * (1 + logvar - mean.square() - logvar.exp()).sum(dim=1).mean()
            loss = reconstruction + min(1.0, step / 60) * divergence
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"reconstruction {reconstruction.item():.1f}, divergence {divergence.item():.1f}")


PROGRAM = Program(name="faces-from-a-few-numbers", train=_train, source="Kingma and Welling 2014; Bowman et al. 2016")
