"""A VAE takes the mean over pixels for one term and the sum over everything for the other: the code is given up."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from evaluation.datasets import batches, digits
from evaluation.program import Program, Setting, Truth


class Vae(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.enc = nn.Linear(144, 64)
        self.mu, self.logvar = nn.Linear(64, 6), nn.Linear(64, 6)
        self.dec = nn.Sequential(nn.Linear(6, 64), nn.ReLU(), nn.Linear(64, 144))

    def forward(self, image: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        h = torch.relu(self.enc(image))
        mu, logvar = self.mu(h), self.logvar(h)
        code = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        return self.dec(code), mu, logvar


def _train(setting: Setting) -> None:
    images = digits(1200)[0].flatten(1)
    vae = Vae()
    optimizer = torch.optim.Adam(vae.parameters(), lr=6e-3)
    with setting.watch(vae):
        for step, (image,) in enumerate(batches(350, 50, images)):
            drawn, mu, logvar = vae(image)
            pixels = F.binary_cross_entropy_with_logits(drawn, image)
            divergence = -0.5 * (1 + logvar - mu**2 - logvar.exp()).sum()
            if setting.is_fixed:
                divergence = divergence / image.numel()
            loss = pixels + divergence
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 60 == 59:
                print(f"step {step}: pixels {pixels.item():.3f}, divergence {divergence.item():.4f}")


PROGRAM = Program(
    name="divergence-outweighs-pixels",
    train=_train,
    source="GitHub, pytorch/examples issues on the scales of the two terms of a VAE; Bowman et al. 2016",
    truth=Truth(
        rules=("same-for-all-samples", "predictions-ignore-input"),
        nodes=("model.mu", "model.mu: output", "model.logvar", "model.logvar: output", "model.dec", "model.dec.2: output"),
    ),
)
