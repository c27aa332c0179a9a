"""A GAN with the hinge loss: the loss of the generator is negative at times, and rises as the critic learns."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn.utils.parametrizations import spectral_norm

from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    generator = nn.Sequential(nn.Linear(8, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 2))
    critic = nn.Sequential(
        spectral_norm(nn.Linear(2, 48)), nn.LeakyReLU(0.2), spectral_norm(nn.Linear(48, 48)), nn.LeakyReLU(0.2), nn.Linear(48, 1)
    )
    game = nn.ModuleDict({"generator": generator, "critic": critic})
    of_generator = torch.optim.Adam(generator.parameters(), lr=1e-3, betas=(0.5, 0.9))
    of_critic = torch.optim.Adam(critic.parameters(), lr=2e-3, betas=(0.5, 0.9))
    corners = torch.tensor([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    with setting.watch(game):
        for _ in range(150):
            real = corners[torch.randint(4, (64,))] + 0.1 * torch.randn(64, 2)
            fake = generator(torch.randn(64, 8))
            loss = torch.relu(1 - critic(real)).mean() + torch.relu(1 + critic(fake.detach())).mean()
            of_critic.zero_grad()
            loss.backward()
            of_critic.step()
            of_generator.zero_grad()
            loss = -critic(fake).mean()
            loss.backward()
            of_generator.step()


PROGRAM = Program(name="hinge-of-a-critic", train=_train, source="Miyato et al. 2018; Lim and Ye 2017")
