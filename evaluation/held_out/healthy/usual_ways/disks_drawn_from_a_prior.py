"""Disks are coded by a convolutional variational autoencoder. The divergence gets its full weight after a while."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import outlines
from evaluation.program import Program, Setting


class DiskVAE(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(1, 16, 4, stride=2, padding=1), nn.ReLU(), nn.Conv2d(16, 16, 4, stride=2, padding=1), nn.ReLU(), nn.Flatten()
        )
        self.mean, self.log_variance = nn.Linear(256, 6), nn.Linear(256, 6)
        self.decoder = nn.Sequential(nn.Linear(6, 96), nn.ReLU(), nn.Linear(96, 256), nn.Unflatten(1, (1, 16, 16)))

    def forward(self, picture: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        h = self.encoder(picture)
        mean, log_variance = self.mean(h), self.log_variance(h)
        code = mean + torch.randn_like(mean) * (0.5 * log_variance).exp()
        return self.decoder(code), mean, log_variance


def _train(setting: Setting) -> None:
    _, masks = outlines(1000)
    pictures = masks[:, None]
    model = DiskVAE()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for epoch in range(6):
            weight = min(1.0, 0.2 * (epoch + 1))
            for rows in torch.randperm(1000).split(40):
                logits, mean, log_variance = model(pictures[rows])
                pixels = nn.functional.binary_cross_entropy_with_logits(logits, pictures[rows], reduction="none").sum(dim=(1, 2, 3))
                divergence = 0.5 * (mean**2 + log_variance.exp() - 1 - log_variance).sum(dim=1)
                loss = (pixels + weight * divergence).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: pixels {pixels.mean().item():.2f}, divergence {divergence.mean().item():.2f}")


PROGRAM = Program(name="disks-drawn-from-a-prior", train=_train, source="Kingma and Welling 2014, variational autoencoders")
