"""A generator and a discriminator of points on a ring, with one optimizer each."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


def _ring(count: int) -> Tensor:
    angle = 2 * math.pi * torch.rand(count)
    return torch.stack([angle.cos(), angle.sin()], dim=1) + 0.05 * torch.randn(count, 2)


def _train(setting: Setting) -> None:
    generator = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
    discriminator = nn.Sequential(nn.Linear(2, 64), nn.LeakyReLU(0.2), nn.Linear(64, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1))
    optimizer_g = torch.optim.Adam(generator.parameters(), lr=1e-3, betas=(0.0, 0.999))
    optimizer_d = torch.optim.Adam(discriminator.parameters(), lr=1e-3, betas=(0.0, 0.999))
    criterion = nn.BCEWithLogitsLoss()
    ones, zeros = torch.ones(64, 1), torch.zeros(64, 1)
    with setting.watch(discriminator):
        for _ in range(1200):
            fake = generator(torch.randn(64, 8))
            loss_d = criterion(discriminator(_ring(64)), ones) + criterion(discriminator(fake.detach()), zeros)
            optimizer_d.zero_grad()
            loss_d.backward()
            optimizer_d.step()

            loss_g = criterion(discriminator(fake), ones)
            optimizer_g.zero_grad()
            loss_g.backward()
            optimizer_g.step()


PROGRAM = Program(name="gan", train=_train, source="Goodfellow et al. 2014, as PyTorch's DCGAN tutorial")
