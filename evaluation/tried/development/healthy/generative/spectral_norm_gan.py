"""A GAN of pictures with spectral norm and the hinge loss; both networks are parts of a module."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.utils.parametrizations import spectral_norm

from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import shapes


class _GAN(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.generator = nn.Sequential(
            nn.Linear(16, 16 * 2 * 2),
            nn.Unflatten(1, (16, 2, 2)),
            nn.BatchNorm2d(16),
            nn.ReLU(),
            nn.ConvTranspose2d(16, 16, 4, 2, 1),
            nn.BatchNorm2d(16),
            nn.ReLU(),
            nn.ConvTranspose2d(16, 1, 4, 2, 1),
        )
        self.discriminator = nn.Sequential(
            spectral_norm(nn.Conv2d(1, 16, 4, 2, 1)),
            nn.LeakyReLU(0.1),
            spectral_norm(nn.Conv2d(16, 16, 4, 2, 1)),
            nn.LeakyReLU(0.1),
            nn.Flatten(),
            spectral_norm(nn.Linear(64, 1)),
        )

    def forward(self, noise: Tensor) -> tuple[Tensor, Tensor]:
        images = self.generator(noise)
        return images, self.discriminator(images)


def _train(setting: Setting) -> None:
    pictures = shapes(2048, size=8, noise=0.1).images
    model = _GAN()
    optimizer_g = torch.optim.Adam(model.generator.parameters(), lr=5e-4, betas=(0.0, 0.9))
    optimizer_d = torch.optim.Adam(model.discriminator.parameters(), lr=1e-3, betas=(0.0, 0.9))
    with setting.watch(model):
        for _ in range(600):
            real = pictures[torch.randint(2048, (32,))]
            images, _ = model(torch.randn(32, 16))
            loss_d = torch.relu(1 - model.discriminator(real)).mean() + torch.relu(1 + model.discriminator(images.detach())).mean()
            optimizer_d.zero_grad()
            loss_d.backward()
            optimizer_d.step()

            _, scores = model(torch.randn(32, 16))
            loss_g = -scores.mean()
            optimizer_g.zero_grad()
            loss_g.backward()
            optimizer_g.step()


PROGRAM = Program(name="spectral-norm-gan", train=_train, source="Miyato et al. 2018")
