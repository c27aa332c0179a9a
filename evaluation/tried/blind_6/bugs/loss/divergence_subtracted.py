"""A variational autoencoder with the wrong sign before the divergence: it is rewarded for leaving the prior, without end."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Autoencoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(36, 48), nn.Tanh())
        self.mean = nn.Linear(48, 4)
        self.logvar = nn.Linear(48, 4)
        self.decoder = nn.Sequential(nn.Linear(4, 48), nn.Tanh(), nn.Linear(48, 36))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        h = self.encoder(x)
        mean, logvar = self.mean(h), self.logvar(h)
        z = mean + (0.5 * logvar).exp() * torch.randn_like(mean)
        return self.decoder(z), mean, logvar


def _train(setting: Setting) -> None:
    images = torch.tanh(torch.randn(2000, 4) @ torch.randn(4, 36)) + 0.1 * torch.randn(2000, 36)
    model = Autoencoder()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for (x,) in batches(250, 64, images):
            decoded, mean, logvar = model(x)
            reconstruction = F.mse_loss(decoded, x, reduction="none").sum(dim=1).mean()
            divergence = -0.5 * (1 + logvar - mean.square() - logvar.exp()).sum(dim=1).mean()
            loss = reconstruction + divergence if setting.is_fixed else reconstruction - divergence
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"reconstruction {reconstruction.item():.2f}, divergence {divergence.item():.2f}")


PROGRAM = Program(
    name="divergence-subtracted",
    train=_train,
    source="GitHub issues of VAE code, sign of the KL term",
    truth=Truth(
        rules=("negative-loss", "runaway-growth"),
        nodes=(
            "sub (3)",
            "model.mean",
            "model.logvar",
        ),
    ),
)
