"""A variational autoencoder over patterns, with the divergence per sample."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting


class Vae(nn.Module):
    def __init__(self, latent: int = 8) -> None:
        super().__init__()
        self.read = nn.Sequential(nn.Flatten(), nn.Linear(144, 96), nn.ReLU())
        self.middle = nn.Linear(96, latent)
        self.spread = nn.Linear(96, latent)
        self.write = nn.Sequential(nn.Linear(latent, 96), nn.ReLU(), nn.Linear(96, 144))

    def forward(self, image: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        h = self.read(image)
        middle, spread = self.middle(h), self.spread(h)
        return self.write(middle + torch.randn_like(middle) * (spread / 2).exp()), middle, spread


def _train(setting: Setting) -> None:
    images, _ = digits(2000, classes=3)
    model = Vae()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for epoch in range(6):
            for rows in torch.randperm(2000).split(64):
                written, middle, spread = model(images[rows])
                rebuilt = nn.functional.binary_cross_entropy_with_logits(written, images[rows].flatten(1), reduction="none").sum(dim=1)
                divergence = -0.5 * (1 + spread - middle**2 - spread.exp()).sum(dim=1)
                loss = (rebuilt + divergence).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.2f}, divergence {divergence.mean().item():.2f}")


PROGRAM = Program(name="digits-written-by-a-vae", train=_train, source="Kingma and Welling 2014, auto-encoding variational Bayes")
