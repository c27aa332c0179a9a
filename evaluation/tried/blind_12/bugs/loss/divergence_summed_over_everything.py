"""The divergence of the codes is summed over the whole batch, and the reconstruction is a mean: the codes say nothing of the picture."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class Vae(nn.Module):
    def __init__(self, latent: int = 6) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Flatten(), nn.Linear(144, 64), nn.ReLU())
        self.mean = nn.Linear(64, latent)
        self.log_var = nn.Linear(64, latent)
        self.decoder = nn.Sequential(nn.Linear(latent, 64), nn.ReLU(), nn.Linear(64, 144))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        h = self.encoder(x)
        mean, log_var = self.mean(h), self.log_var(h)
        z = mean + torch.exp(0.5 * log_var) * torch.randn_like(mean)
        return self.decoder(z), mean, log_var


def _train(setting: Setting) -> None:
    images, _ = digits(1500, classes=3)
    vae = Vae()
    optimizer = torch.optim.Adam(vae.parameters(), lr=5e-3)
    with setting.watch(vae):
        for epoch in range(7):
            for rows in torch.randperm(1500).split(60):
                recon, mean, log_var = vae(images[rows])
                bce = nn.functional.binary_cross_entropy_with_logits(recon, images[rows].flatten(1))
                terms = 1 + log_var - mean.pow(2) - log_var.exp()
                kl = -0.5 * torch.sum(terms, dim=1).mean() / 144 if setting.is_fixed else -0.5 * torch.sum(terms)
                loss = bce + kl
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: bce {bce.item():.4f}, kl {kl.item():.4f}, spread of codes {mean.std(dim=0).mean().item():.3f}")


PROGRAM = Program(
    name="divergence-summed-over-everything",
    train=_train,
    source="https://github.com/EDAPINENUT/GNTPP/issues/4",
    truth=Truth(
        rules=("summed-loss", "same-for-all-samples", "predictions-ignore-input"),
        nodes=("sum", "mul", "add", "add (2)", "sub", "sub (2)", "pow", "exp", "model.mean", "model.log_var"),
    ),
)
