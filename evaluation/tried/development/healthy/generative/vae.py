"""A variational autoencoder of pictures of shapes."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import shapes


class _VAE(nn.Module):
    def __init__(self, pixels: int = 64, latent: int = 4) -> None:
        super().__init__()
        self.fc1 = nn.Linear(pixels, 96)
        self.mu = nn.Linear(96, latent)
        self.logvar = nn.Linear(96, latent)
        self.fc2 = nn.Linear(latent, 96)
        self.out = nn.Linear(96, pixels)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        h = torch.relu(self.fc1(x))
        mu, logvar = self.mu(h), self.logvar(h)
        z = mu + torch.randn_like(mu) * torch.exp(0.5 * logvar)
        return torch.sigmoid(self.out(torch.relu(self.fc2(z)))), mu, logvar


def _train(setting: Setting) -> None:
    pictures = shapes(2048, size=8).masks.flatten(1)
    model = _VAE()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for _ in range(30):
            for index in torch.randperm(2048).split(64):
                x = pictures[index]
                reconstruction, mu, logvar = model(x)
                bce = nn.functional.binary_cross_entropy(reconstruction, x, reduction="sum")
                kld = -0.5 * torch.sum(1 + logvar - mu**2 - logvar.exp())
                loss = bce + kld
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


PROGRAM = Program(name="vae", train=_train, source="PyTorch's example vae, with its summed loss", chose_thresholds=True)
