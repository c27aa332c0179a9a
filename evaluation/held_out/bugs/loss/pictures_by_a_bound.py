"""Pictures are coded by a variational autoencoder, whose bound was copied from a discussion of its signs."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class VAE(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(144, 64), nn.ReLU())
        self.mu, self.var = nn.Linear(64, 8), nn.Linear(64, 8)
        self.decoder = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 144))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        h = self.encoder(x)
        z_mu, z_var = self.mu(h), self.var(h)
        z = z_mu + torch.exp(z_var / 2) * torch.randn_like(z_mu)
        return self.decoder(z), z_mu, z_var


def _train(setting: Setting) -> None:
    images, _ = digits(1500)
    x = images.flatten(1)
    model = VAE()
    solver = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for epoch in range(5):
            for rows in torch.randperm(1500).split(50):
                x_sample, z_mu, z_var = model(x[rows])
                recon_loss = nn.functional.mse_loss(x_sample, x[rows]) * 1440
                kl_loss = torch.mean(0.5 * torch.sum(torch.exp(z_var) + z_mu**2 - 1.0 - z_var, dim=1))
                loss = recon_loss + kl_loss if setting.is_fixed else recon_loss - kl_loss
                solver.zero_grad()
                loss.backward()
                solver.step()
            print(f"epoch {epoch}: reconstruction {recon_loss.item():.3f}, divergence {kl_loss.item():.3f}")


PROGRAM = Program(
    name="pictures-by-a-bound",
    train=_train,
    source="https://github.com/wiseodd/generative-models/issues/43",
    truth=Truth(
        rules=("negative-loss", "runaway-growth", "near-overflow", "diverging-loss"),
        nodes=("sub", "sub (2)", "sub (3)", "exp", "mean", "mul (2)", "sum", "add", "pow", "model.mu", "model.var"),
    ),
)
