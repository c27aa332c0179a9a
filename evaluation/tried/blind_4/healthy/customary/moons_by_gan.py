"""A generator and a discriminator play against each other for points of a half moon."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits as bce

from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    angle = 3.14 * torch.rand(2000)
    moon = torch.stack([angle.cos(), angle.sin() - 0.5], dim=1) + 0.05 * torch.randn(2000, 2)
    generator = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
    discriminator = nn.Sequential(nn.Linear(2, 64), nn.LeakyReLU(0.2), nn.Linear(64, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1))
    both = nn.ModuleDict({"generator": generator, "discriminator": discriminator})
    optimizer_g = torch.optim.Adam(generator.parameters(), lr=1e-3, betas=(0.5, 0.999))
    optimizer_d = torch.optim.Adam(discriminator.parameters(), lr=2e-3, betas=(0.5, 0.999))
    ones, zeros = torch.ones(64, 1), torch.zeros(64, 1)
    with setting.watch(both):
        for _ in range(800):
            real = moon[torch.randint(0, 2000, (64,))]
            fake = generator(torch.randn(64, 8))
            optimizer_d.zero_grad()
            loss_d = bce(discriminator(real), ones) + bce(discriminator(fake.detach()), zeros)
            loss_d.backward()
            optimizer_d.step()
            optimizer_g.zero_grad()
            loss_g = bce(discriminator(fake), ones)
            loss_g.backward()
            optimizer_g.step()
    with torch.no_grad():
        points = generator(torch.randn(500, 8))
    print("distance from the moon", torch.cdist(points, moon).amin(1).mean().item(), "spread", points.std(0).tolist())


PROGRAM = Program(name="moons-by-gan", train=_train, source="Goodfellow et al. 2014; settings of the PyTorch tutorial on DCGAN")
