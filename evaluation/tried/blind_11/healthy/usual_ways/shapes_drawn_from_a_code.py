"""A convolutional variational autoencoder of shapes, with a weight of the KL divergence that is warmed up."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import shapes


class ConvVae(nn.Module):
    def __init__(self, latent: int = 6) -> None:
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(1, 16, 4, stride=2, padding=1), nn.ReLU(), nn.Conv2d(16, 32, 4, stride=2, padding=1), nn.ReLU(), nn.Flatten()
        )
        self.mean = nn.Linear(32 * 16, latent)
        self.log_var = nn.Linear(32 * 16, latent)
        self.expand = nn.Linear(latent, 32 * 16)
        self.decoder = nn.Sequential(
            nn.ReLU(), nn.ConvTranspose2d(32, 16, 4, stride=2, padding=1), nn.ReLU(), nn.ConvTranspose2d(16, 1, 4, stride=2, padding=1)
        )

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        h = self.encoder(x)
        mean, log_var = self.mean(h), self.log_var(h)
        z = mean + torch.randn_like(mean) * (0.5 * log_var).exp()
        return self.decoder(self.expand(z).view(-1, 32, 4, 4)), mean, log_var


def _train(setting: Setting) -> None:
    masks = shapes(800).masks
    vae = ConvVae()
    optimizer = torch.optim.Adam(vae.parameters(), lr=3e-3)
    step = 0
    with setting.watch(vae):
        for epoch in range(8):
            for rows in torch.randperm(800).split(40):
                logits, mean, log_var = vae(masks[rows])
                recon = nn.functional.binary_cross_entropy_with_logits(logits, masks[rows], reduction="sum") / len(rows)
                kl = -0.5 * (1 + log_var - mean.square() - log_var.exp()).sum(dim=1).mean()
                loss = recon + min(1.0, step / 100) * kl
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                step += 1
            print(f"epoch {epoch}: reconstruction {recon.item():.2f}, kl {kl.item():.2f}")


PROGRAM = Program(
    name="shapes-drawn-from-a-code", train=_train, source="Kingma and Welling 2014; Bowman et al. 2016, warmup of the KL weight"
)
