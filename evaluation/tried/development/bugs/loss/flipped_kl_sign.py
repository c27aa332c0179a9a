"""The KL divergence is subtracted instead of added, so the latent space explodes."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Vae(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 8))
        self.decoder = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 20))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        mu, log_variance = self.encoder(x).chunk(2, dim=1)
        z = mu + torch.randn_like(mu) * torch.exp(log_variance / 2)
        return self.decoder(z), mu, log_variance


def _train(setting: Setting) -> None:
    latent = torch.randn(2000, 3)
    data = torch.tanh(latent @ torch.randn(3, 20))
    model = Vae()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for (x,) in batches(900, 32, data):
            output, mu, log_variance = model(x)
            kl = -0.5 * (1 + log_variance - mu**2 - log_variance.exp()).sum(dim=1).mean()
            if not setting.is_fixed:
                kl = -kl
            loss = nn.functional.mse_loss(output, x) + 0.01 * kl
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="flipped-kl-sign",
    train=_train,
    source="Stack Exchange, negative loss of a VAE",
    truth=Truth(
        rules=("negative-loss", "runaway-growth", "diverging-loss"),
        nodes=("model.encoder: output", "model.encoder.2: output"),
        step=1,
    ),
)
