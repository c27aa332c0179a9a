"""A variational autoencoder for masks. The weight of the divergence grows over the first hundred steps."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import shapes


class Vae(nn.Module):
    def __init__(self, latent: int = 6) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Flatten(), nn.Linear(256, 80), nn.ReLU())
        self.mean, self.log_variance = nn.Linear(80, latent), nn.Linear(80, latent)
        self.decoder = nn.Sequential(nn.Linear(latent, 80), nn.ReLU(), nn.Linear(80, 256), nn.Unflatten(1, (1, 16, 16)))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        hidden = self.encoder(x)
        mean, log_variance = self.mean(hidden), self.log_variance(hidden)
        z = mean + torch.randn_like(mean) * (0.5 * log_variance).exp()
        return self.decoder(z), mean, log_variance


def _train(setting: Setting) -> None:
    masks = shapes(1200).masks
    vae = Vae()
    optimizer = torch.optim.Adam(vae.parameters(), lr=3e-3)
    with setting.watch(vae):
        for step in range(220):
            x = masks[torch.randint(1200, (48,))]
            logits, mean, log_variance = vae(x)
            rebuilt = nn.functional.binary_cross_entropy_with_logits(logits, x, reduction="sum") / len(x)
            divergence = -0.5 * (1 + log_variance - mean**2 - log_variance.exp()).sum(dim=1).mean()
            loss = rebuilt + min(1.0, step / 100) * divergence
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 44 == 43:
                print(f"{step}: pictures {rebuilt.item():.1f}, code {divergence.item():.2f}")


PROGRAM = Program(name="pictures-by-a-narrow-code", train=_train, source="Kingma and Welling 2014; Bowman et al. 2016, annealed divergence")
