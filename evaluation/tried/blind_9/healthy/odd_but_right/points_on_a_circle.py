"""A GAN with a spectrally normalized discriminator and a penalty on its gradient. Its losses hover, and the points become a circle."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.utils.parametrizations import spectral_norm

from evaluation.program import Program, Setting


class CircleGan(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.generator = nn.Sequential(nn.Linear(2, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 2))
        self.discriminator = nn.Sequential(
            spectral_norm(nn.Linear(2, 48)), nn.LeakyReLU(0.2), spectral_norm(nn.Linear(48, 48)), nn.LeakyReLU(0.2), nn.Linear(48, 1)
        )


def circle(count: int) -> Tensor:
    angle = 6.2832 * torch.rand(count)
    return 1.5 * torch.stack([angle.cos(), angle.sin()], dim=1) + 0.05 * torch.randn(count, 2)


def _train(setting: Setting) -> None:
    gan = CircleGan()
    adam_g = torch.optim.Adam(gan.generator.parameters(), lr=2e-3, betas=(0.0, 0.9))
    adam_d = torch.optim.Adam(gan.discriminator.parameters(), lr=4e-3, betas=(0.0, 0.9))
    softplus = nn.functional.softplus
    with setting.watch(gan):
        for step in range(200):
            with torch.no_grad():
                fake = gan.generator(torch.randn(64, 2))
            real = circle(64).requires_grad_()
            judged = gan.discriminator(real)
            (slope,) = torch.autograd.grad(judged.sum(), real, create_graph=True)
            loss_d = softplus(-judged).mean() + softplus(gan.discriminator(fake)).mean() + 0.05 * slope.square().sum(dim=1).mean()
            adam_d.zero_grad()
            loss_d.backward()
            adam_d.step()

            loss_g = softplus(-gan.discriminator(gan.generator(torch.randn(64, 2)))).mean()
            adam_g.zero_grad()
            loss_g.backward()
            adam_g.step()
            if step % 40 == 39:
                away = (gan.generator(torch.randn(500, 2)).norm(dim=1) - 1.5).abs().mean()
                print(f"{step}: d {loss_d.item():.3f}, g {loss_g.item():.3f}, away {away.item():.3f}")


PROGRAM = Program(name="points-on-a-circle", train=_train, source="Miyato et al. 2018, spectral normalization; Mescheder et al. 2018, R1")
