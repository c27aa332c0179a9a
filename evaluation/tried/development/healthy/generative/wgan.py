"""A Wasserstein GAN whose critic has clipped weights and makes five steps for each of the generator's."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


def _moons(count: int) -> Tensor:
    angle = torch.pi * torch.rand(count)
    is_upper = torch.rand(count) < 0.5
    x = torch.where(is_upper, angle.cos(), 1 - angle.cos()) - 0.5
    y = torch.where(is_upper, angle.sin(), 0.5 - angle.sin()) - 0.25
    return torch.stack([x, y], dim=1) + 0.05 * torch.randn(count, 2)


def _train(setting: Setting) -> None:
    generator = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
    critic = nn.Sequential(nn.Linear(2, 64), nn.LeakyReLU(0.2), nn.Linear(64, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1))
    optimizer_g = torch.optim.RMSprop(generator.parameters(), lr=2e-4)
    optimizer_c = torch.optim.RMSprop(critic.parameters(), lr=2e-4)
    with setting.watch(generator):
        for _ in range(600):
            for _ in range(5):
                with torch.no_grad():
                    fake = generator(torch.randn(64, 4))
                loss_c = critic(fake).mean() - critic(_moons(64)).mean()
                optimizer_c.zero_grad()
                loss_c.backward()
                optimizer_c.step()
                for parameter in critic.parameters():
                    parameter.data.clamp_(-0.1, 0.1)

            loss_g = -critic(generator(torch.randn(64, 4))).mean()
            optimizer_g.zero_grad()
            loss_g.backward()
            optimizer_g.step()


PROGRAM = Program(name="wgan", train=_train, source="Arjovsky et al. 2017, on two moons")
