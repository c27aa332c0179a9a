"""Disks out of noise by transposed convolutions, against a discriminator with spectral normalization."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn.utils.parametrizations import spectral_norm

from evaluation.everyday import outlines
from evaluation.program import Program, Setting


class Forger(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.generator = nn.Sequential(
            nn.ConvTranspose2d(16, 32, 3),
            nn.BatchNorm2d(32),
            nn.ReLU(),
            nn.ConvTranspose2d(32, 16, 4, stride=2, padding=1),
            nn.BatchNorm2d(16),
            nn.ReLU(),
            nn.ConvTranspose2d(16, 1, 4, stride=2, padding=1),
            nn.Tanh(),
        )
        self.discriminator = nn.Sequential(
            spectral_norm(nn.Conv2d(1, 16, 4, stride=2, padding=1)),
            nn.LeakyReLU(0.2),
            spectral_norm(nn.Conv2d(16, 32, 4, stride=2, padding=1)),
            nn.LeakyReLU(0.2),
            nn.Flatten(),
            spectral_norm(nn.Linear(32 * 9, 1)),
        )


def _train(setting: Setting) -> None:
    images = 2 * outlines(1200, size=12)[1][:, None] - 1
    model = Forger()
    forge = torch.optim.Adam(model.generator.parameters(), lr=2e-3, betas=(0.5, 0.999))
    judge = torch.optim.Adam(model.discriminator.parameters(), lr=1e-3, betas=(0.5, 0.999))
    softplus = nn.functional.softplus
    with setting.watch(model):
        for step in range(240):
            real = images[torch.randint(0, 1200, (32,))]
            fake = model.generator(torch.randn(32, 16, 1, 1))
            judged = softplus(-model.discriminator(real)).mean() + softplus(model.discriminator(fake.detach())).mean()
            judge.zero_grad()
            judged.backward()
            judge.step()
            forged = softplus(-model.discriminator(fake)).mean()
            forge.zero_grad()
            forged.backward()
            forge.step()
            if step % 40 == 39:
                apart = (fake.mean(dim=0) - images.mean(dim=0)).abs().mean()
                print(f"{step}: discriminator {judged.item():.3f}, generator {forged.item():.3f}, means apart {apart.item():.3f}")


PROGRAM = Program(name="disks-forged-by-convolutions", train=_train, source="Miyato et al. 2018, spectral normalization")
