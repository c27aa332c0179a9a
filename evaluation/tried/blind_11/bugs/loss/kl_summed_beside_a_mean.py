"""A VAE adds the mean squared error of pixels to the sum of all KL terms. The code is ignored, every picture becomes the mean."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class VAE(nn.Module):
    def __init__(self, pixels: int = 144, latent: int = 8) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(pixels, 96), nn.ReLU())
        self.fc_mu = nn.Linear(96, latent)
        self.fc_logvar = nn.Linear(96, latent)
        self.decoder = nn.Sequential(nn.Linear(latent, 96), nn.ReLU(), nn.Linear(96, pixels), nn.Sigmoid())

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        h = self.encoder(x)
        mu, logvar = self.fc_mu(h), self.fc_logvar(h)
        z = mu + torch.randn_like(mu) * torch.exp(0.5 * logvar)
        return self.decoder(z), mu, logvar


def _train(setting: Setting) -> None:
    images, _ = digits(1500)
    flat = images.flatten(1)
    model = VAE()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for epoch in range(8):
            for rows in torch.randperm(1500).split(50):
                recon, mu, logvar = model(flat[rows])
                mse = nn.functional.mse_loss(recon, flat[rows])
                kl = -0.5 * (1 + logvar - mu**2 - logvar.exp()).sum()
                # Per picture, the error has 144 terms and the KL divergence 8.
                loss = 144 * mse + 0.2 * kl / 50 if setting.is_fixed else mse + kl
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(
                f"epoch {epoch}: reconstruction {mse.item():.4f}, kl {kl.item() / 50:.5f}, deviation {recon.std(dim=0).mean().item():.4f}"
            )


PROGRAM = Program(
    name="kl-summed-beside-a-mean",
    train=_train,
    source="GitHub AppliedDataSciencePartners/WorldModels#12, 'VAE performance is bad': KL loss of 4e-7, the terms are reduced differently",
    truth=Truth(
        rules=("predictions-ignore-input", "same-for-all-samples", "branch-without-effect"),
        nodes=("model.fc_mu: output", "model.decoder: input", "model.decoder.3: output", "sum", "mul"),
    ),
)
