"""A generative adversarial network for points around a ring. Its losses go nowhere, and its samples become good."""

from __future__ import annotations

import math

import torch
from torch import nn
from torch.nn import functional as F

from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    generator = nn.Sequential(nn.Linear(6, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 2))
    critic = nn.Sequential(nn.Linear(2, 48), nn.LeakyReLU(0.2), nn.Linear(48, 48), nn.LeakyReLU(0.2), nn.Linear(48, 1))
    optimizer_g = torch.optim.Adam(generator.parameters(), lr=1e-3, betas=(0.5, 0.99))
    optimizer_c = torch.optim.Adam(critic.parameters(), lr=2e-3, betas=(0.5, 0.99))
    with setting.watch(nn.ModuleDict({"generator": generator, "critic": critic})):
        for _ in range(300):
            angle = torch.rand(96) * 2 * math.pi
            real = torch.stack([angle.cos(), angle.sin()], dim=1) + 0.05 * torch.randn(96, 2)
            fake = generator(torch.randn(96, 6))
            optimizer_c.zero_grad()
            loss_c = F.softplus(-critic(real)).mean() + F.softplus(critic(fake.detach())).mean()
            loss_c.backward()
            optimizer_c.step()
            optimizer_g.zero_grad()
            loss_g = F.softplus(-critic(fake)).mean()
            loss_g.backward()
            optimizer_g.step()
    print(f"radius {fake.norm(dim=1).mean():.2f} +- {fake.norm(dim=1).std():.2f}")


PROGRAM = Program(name="forger-and-critic", train=_train, source="Goodfellow et al. 2014")
