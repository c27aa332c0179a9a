"""A critic with spectral normalization learns by a hinge to tell curves from those of a generator, in two steps for each of the other."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.utils.parametrizations import spectral_norm

from evaluation.program import Program, Setting


class Gan(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.generator = nn.Sequential(nn.Linear(8, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 24), nn.Tanh())
        self.critic = nn.Sequential(
            spectral_norm(nn.Linear(24, 48)),
            nn.LeakyReLU(0.2),
            spectral_norm(nn.Linear(48, 48)),
            nn.LeakyReLU(0.2),
            spectral_norm(nn.Linear(48, 1)),
        )


def curves(count: int) -> Tensor:
    time = torch.linspace(0, 1, 24)
    return (0.4 + 0.4 * torch.rand(count, 1)) * torch.sin(6.28 * (time + torch.rand(count, 1)))


def _train(setting: Setting) -> None:
    gan = Gan()
    critic_optimizer = torch.optim.Adam(gan.critic.parameters(), lr=2e-3, betas=(0.0, 0.9))
    generator_optimizer = torch.optim.Adam(gan.generator.parameters(), lr=1e-3, betas=(0.0, 0.9))
    with setting.watch(gan):
        for step in range(100):
            for _ in range(2):
                real, fake = gan.critic(curves(48)), gan.critic(gan.generator(torch.randn(48, 8)).detach())
                critic_loss = torch.relu(1 - real).mean() + torch.relu(1 + fake).mean()
                critic_optimizer.zero_grad()
                critic_loss.backward()
                critic_optimizer.step()
            generator_loss = -gan.critic(gan.generator(torch.randn(48, 8))).mean()
            generator_optimizer.zero_grad()
            generator_loss.backward()
            generator_optimizer.step()
            if step % 25 == 24:
                print(f"{step}: critic {critic_loss.item():.3f}, generator {generator_loss.item():.3f}")


PROGRAM = Program(
    name="forgers-by-hinge", train=_train, source="Miyato et al. 2018 and Lim and Ye 2017, hinge loss with spectral normalization"
)
