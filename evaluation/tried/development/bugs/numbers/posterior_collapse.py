"""The weight of the KL divergence is 10 instead of 0.01, and the latent means lose all information."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting, Truth


class Vae(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Flatten(), nn.Linear(144, 64), nn.ReLU())
        self.mu, self.log_variance = nn.Linear(64, 4), nn.Linear(64, 4)
        self.decoder = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 144))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        hidden = self.encoder(x)
        mu, log_variance = self.mu(hidden), self.log_variance(hidden)
        z = mu + torch.randn_like(mu) * torch.exp(log_variance / 2)
        return self.decoder(z), mu, log_variance


def _train(setting: Setting) -> None:
    images, _ = digits()
    weight = 0.01 if setting.is_fixed else 10.0
    model = Vae()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for (x,) in batches(900, 32, images):
            logits, mu, log_variance = model(x)
            reconstruction = nn.functional.binary_cross_entropy_with_logits(logits, x.flatten(1))
            kl = -0.5 * (1 + log_variance - mu**2 - log_variance.exp()).sum(dim=1).mean()
            loss = reconstruction + weight * kl
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="posterior-collapse",
    train=_train,
    source="Bowman et al. 2016, posterior collapse",
    truth=Truth(rules=("same-for-all-samples",), nodes=("model.mu: output",)),
)
