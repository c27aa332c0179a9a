"""Points on a ring out of noise, by a generator and its critic that take turns."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting


class Gan(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.generator = nn.Sequential(nn.Linear(4, 48), nn.LeakyReLU(0.2), nn.Linear(48, 48), nn.LeakyReLU(0.2), nn.Linear(48, 2))
        self.critic = nn.Sequential(nn.Linear(2, 48), nn.LeakyReLU(0.2), nn.Linear(48, 48), nn.LeakyReLU(0.2), nn.Linear(48, 1))


def _train(setting: Setting) -> None:
    angle = 6.28 * torch.rand(3000)
    ring = torch.stack([torch.cos(angle), torch.sin(angle)], dim=1) * 1.2 + 0.1 * torch.randn(3000, 2)
    gan = Gan()
    draw = torch.optim.Adam(gan.generator.parameters(), lr=1e-3, betas=(0.5, 0.99))
    judge = torch.optim.Adam(gan.critic.parameters(), lr=1e-3, betas=(0.5, 0.99))
    bce = nn.BCEWithLogitsLoss()
    yes, no = torch.ones(64, 1), torch.zeros(64, 1)
    with setting.watch(gan):
        for step in range(200):
            real = ring[torch.randint(0, 3000, (64,))]
            fake = gan.generator(torch.randn(64, 4))
            critic_loss = bce(gan.critic(real), yes) + bce(gan.critic(fake.detach()), no)
            judge.zero_grad()
            critic_loss.backward()
            judge.step()
            generator_loss = bce(gan.critic(fake), yes)
            draw.zero_grad()
            generator_loss.backward()
            draw.step()
            radius = fake.norm(dim=1).mean().item()
            if step % 40 == 39:
                print(f"{step}: critic {critic_loss.item():.3f}, generator {generator_loss.item():.3f}, radius {radius:.2f}")


PROGRAM = Program(name="rings-drawn-by-a-gan", train=_train, source="Goodfellow et al. 2014, generative adversarial networks")
