"""A GAN of points on a ring, with two optimizers and the usual see-saw of losses."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


def sample_ring(count: int) -> Tensor:
    angle = 6.2832 * torch.rand(count, 1)
    radius = 1 + 0.1 * torch.randn(count, 1)
    return torch.cat([radius * angle.cos(), radius * angle.sin()], dim=1)


def mlp(inputs: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(inputs, 48), nn.LeakyReLU(0.2), nn.Linear(48, 48), nn.LeakyReLU(0.2), nn.Linear(48, outputs))


def _train(setting: Setting) -> None:
    networks = nn.ModuleDict({"generator": mlp(3, 2), "discriminator": mlp(2, 1)})
    generator, discriminator = networks["generator"], networks["discriminator"]
    g_optimizer = torch.optim.Adam(generator.parameters(), lr=1e-3, betas=(0.5, 0.9))
    d_optimizer = torch.optim.Adam(discriminator.parameters(), lr=1e-3, betas=(0.5, 0.9))
    with setting.watch(networks):
        for step in range(350):
            real, fake = sample_ring(64), generator(torch.randn(64, 3))
            d_loss = nn.functional.softplus(-discriminator(real)).mean() + nn.functional.softplus(discriminator(fake.detach())).mean()
            d_optimizer.zero_grad()
            d_loss.backward()
            d_optimizer.step()

            g_loss = nn.functional.softplus(-discriminator(fake)).mean()
            g_optimizer.zero_grad()
            g_loss.backward()
            g_optimizer.step()
            if step % 70 == 0:
                print(f"{step}: {d_loss.item():.3f} {g_loss.item():.3f} radius {fake.norm(dim=1).mean().item():.2f}")
    with torch.no_grad():
        made = generator(torch.randn(1000, 3))
        print("radius", made.norm(dim=1).mean().item(), made.norm(dim=1).std().item())


PROGRAM = Program(name="ring-gan", train=_train, source="Goodfellow et al. 2014 (non-saturating GAN)")
